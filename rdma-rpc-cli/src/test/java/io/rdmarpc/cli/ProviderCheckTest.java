package io.rdmarpc.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.cli.Finding.Level;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.RdmaDevice;
import io.rdmarpc.verbs.VerbsProvider;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The doctor's check of a provider")
class ProviderCheckTest {

    @TempDir
    private Path root;

    private record FakeProvider(Supplier<List<RdmaDevice>> found) implements VerbsProvider {

        @Override
        public String name() {
            return "ibverbs";
        }

        @Override
        public int order() {
            return 0;
        }

        @Override
        public List<RdmaDevice> devices(Map<String, String> options) {
            return found.get();
        }
    }

    private record ClosedDevice(String name) implements RdmaDevice {

        @Override
        public RdmaContext open() {
            throw new RdmaVerbsException(
                    "ibv_open_device", name, Errno.EACCES, "The user needs read and write permissions");
        }
    }

    private ProviderCheck check(Supplier<List<RdmaDevice>> found) {
        return new ProviderCheck(new FakeProvider(found), new FakeHost(root).files());
    }

    @Test
    @DisplayName("reports the library's message if the library is missing, or Java may not call it")
    void whenTheLibraryIsMissingThenItFails() {
        ProviderCheck check = check(() -> {
            throw new RdmaVerbsException("loading libibverbs.so.1", "", 0, "apt install libibverbs1 ibverbs-providers");
        });

        assertThat(check.run()).singleElement().satisfies(finding -> {
            assertThat(finding.level()).isEqualTo(Level.FAIL);
            assertThat(finding.text()).contains("loading libibverbs.so.1").contains("apt install libibverbs1");
        });
        assertThat(check.isUsable()).isFalse();
    }

    @Test
    void whenADeviceCannotBeOpenedThenItFails() {
        ProviderCheck check = check(() -> List.of(new ClosedDevice("mlx5_0")));

        assertThat(check.run()).singleElement().satisfies(finding -> {
            assertThat(finding.level()).isEqualTo(Level.FAIL);
            assertThat(finding.text()).contains("ibv_open_device on mlx5_0 failed: errno 13");
        });
        assertThat(check.isUsable()).isFalse();
    }

    @Test
    void whenUserSpaceHasNoDriverForAKernelDeviceThenItFails() {
        new FakeHost(root).directory("sys/class/infiniband/mlx5_0").directory("sys/class/infiniband/hns_0");

        assertThat(check(() -> List.of(new ClosedDevice("mlx5_0"))).run())
                .first()
                .isEqualTo(Finding.fail(
                        "ibverbs",
                        "the kernel has hns_0, but libibverbs has no driver for it",
                        "apt install ibverbs-providers"));
    }

    @Test
    @DisplayName("finds that the software RNIC works")
    void shouldFindThatTheSoftwareRnicWorks() {
        VerbsProvider soft = Providers.all().stream()
                .filter(provider -> provider.name().equals("soft"))
                .findFirst()
                .orElseThrow();
        new FakeHost(root).directory("sys/class/infiniband/mlx5_0");
        ProviderCheck check = new ProviderCheck(soft, new FakeHost(root).files());

        assertThat(check.run())
                .noneMatch(Finding::isFailure)
                .contains(Finding.ok("soft", "soft0 opens and registers memory"));
        assertThat(check.isUsable()).isTrue();
    }
}
