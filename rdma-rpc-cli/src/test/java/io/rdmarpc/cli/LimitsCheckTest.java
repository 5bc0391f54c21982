package io.rdmarpc.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.cli.Finding.Level;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The doctor's check of the limits")
class LimitsCheckTest {

    private static final String NO_CAPABILITIES = "Name:\tjava\nCapEff:\t0000000000000000\n";

    @TempDir
    private Path root;

    private FakeHost host;

    @BeforeEach
    void makeHost() {
        host = new FakeHost(root);
        host.file("proc/self/status", NO_CAPABILITIES);
    }

    private Finding finding(String subject) {
        List<Finding> findings = new LimitsCheck(host.files()).run();
        return findings.stream()
                .filter(finding -> finding.subject().equals(subject))
                .findFirst()
                .orElseThrow();
    }

    private void limits(String memlock, String files) {
        host.file("proc/self/limits", """
                Limit                     Soft Limit           Hard Limit           Units
                Max open files            %-20s 1048576              files
                Max locked memory         %-20s 8388608              bytes
                """.formatted(files, memlock));
    }

    @Test
    void whenTooLittleMemoryMayBeLockedThenItWarns() {
        limits("8388608", "65536");

        assertThat(finding("memlock").level()).isEqualTo(Level.WARN);
        assertThat(finding("memlock").text()).contains("only 8388608 bytes");
        assertThat(finding("memlock").remedy()).contains("ulimit -l unlimited").contains("LimitMEMLOCK=infinity");
    }

    @Test
    void whenRootMayIgnoreTheLimitThenItIsOk() {
        limits("8388608", "65536");
        host.file("proc/self/status", "CapEff:\t000001ffffffffff\n");

        assertThat(finding("memlock").level()).isEqualTo(Level.OK);
        assertThat(finding("memlock").text()).contains("CAP_IPC_LOCK");
    }

    @Test
    void whenEnoughMemoryMayBeLockedThenItIsOk() {
        limits("unlimited", "65536");
        assertThat(finding("memlock").level()).isEqualTo(Level.OK);
        limits("1073741824", "65536");
        assertThat(finding("memlock").level()).isEqualTo(Level.OK);
    }

    @Test
    void whenTooFewFilesMayBeOpenThenItWarns() {
        limits("unlimited", "1024");

        assertThat(finding("open files").level()).isEqualTo(Level.WARN);
        assertThat(finding("open files").text()).contains("only 1024 files");
        assertThat(finding("open files").remedy()).contains("ulimit -n 65536");
    }

    @Test
    void whenEnoughFilesMayBeOpenThenItIsOk() {
        limits("unlimited", "65536");

        assertThat(finding("open files").level()).isEqualTo(Level.OK);
    }

    @Test
    void whenThereAreNoHugePagesThenItWarns() {
        host.file("proc/meminfo", "HugePages_Total:       0\nHugePages_Free:        0\nHugepagesize:       2048 kB\n");

        assertThat(finding("huge pages").level()).isEqualTo(Level.WARN);
        assertThat(finding("huge pages").text()).startsWith("none are reserved");
        assertThat(finding("huge pages").remedy()).contains("sysctl vm.nr_hugepages=");
    }

    @Test
    void whenAllHugePagesAreInUseThenItWarns() {
        host.file("proc/meminfo", "HugePages_Total:       8\nHugePages_Free:        0\nHugepagesize:       2048 kB\n");

        assertThat(finding("huge pages").text()).startsWith("all 8 are in use");
    }

    @Test
    void whenHugePagesAreFreeThenItIsOk() {
        host.file("proc/meminfo", "HugePages_Total:       8\nHugePages_Free:        5\nHugepagesize:       2048 kB\n");

        assertThat(finding("huge pages")).isEqualTo(Finding.ok("huge pages", "5 of 8 are free, size 2048 kB"));
    }
}
