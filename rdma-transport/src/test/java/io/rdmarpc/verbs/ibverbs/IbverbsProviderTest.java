package io.rdmarpc.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.rdmarpc.verbs.VerbsProvider;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ibverbs.ffi.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The ibverbs provider")
class IbverbsProviderTest {

    @Test
    void shouldBeFoundAndComeFirst() {
        List<VerbsProvider> providers = ServiceLoader.load(VerbsProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();

        assertThat(providers).hasAtLeastOneElementOfType(IbverbsProvider.class);
        assertThat(providers)
                .filteredOn(provider -> !(provider instanceof IbverbsProvider))
                .allSatisfy(other -> assertThat(other.order()).isGreaterThan(new IbverbsProvider().order()));
    }

    @Test
    void whenThereIsNoDeviceThenTheExceptionSaysWhatToDo() {
        assumeFalse(Files.isDirectory(Path.of("/sys/class/infiniband")), "this machine has RDMA");

        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> new IbverbsProvider().devices(Map.of()))
                .withMessageContaining("rdma.provider=soft")
                .satisfies(e -> assertThat(e.errno()).isIn(0, Errno.ENOSYS, Errno.ENODEV, Errno.ENOENT));
    }

    @Test
    void whenNativeAccessIsMissingThenTheExceptionNamesTheOption() throws IOException, InterruptedException {
        ChildJvm.Result result = ChildJvm.run(List.of("--illegal-native-access=deny"), PrintsReason.class);

        assertThat(result.status()).as(result.output()).isZero();
        assertThat(result.output()).contains("start it with --enable-native-access=ALL-UNNAMED");
    }

    /** Runs in a separate JVM. */
    static final class PrintsReason {

        private PrintsReason() {}

        public static void main(String[] arguments) {
            try {
                new IbverbsProvider().devices(Map.of());
            } catch (RdmaVerbsException e) {
                IO.println(e.getMessage());
            }
        }
    }
}
