package io.rdmarpc.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
@DisplayName("A report about a host")
class ReportCommandTest {

    @TempDir
    private Path root;

    private FakeHost host;

    @BeforeEach
    void host() throws IOException {
        host = new FakeHost(root)
                .file("proc/sys/kernel/hostname", "gpu17.example.org\n")
                .file("proc/sys/kernel/osrelease", "6.8.0-45-generic\n")
                .file("proc/cpuinfo", "model name\t: Some CPU @ 2.5GHz\n")
                .file("etc/os-release", "NAME=x\nPRETTY_NAME=\"Some Linux 12\"\n")
                .file("proc/self/maps", """
                        7f00-7f01 r--p 0 08:01 1 /usr/lib/libibverbs.so.1.14.44.0
                        7f02-7f03 r--p 0 08:01 2 /usr/lib/libmlx5-rdmav34.so
                        """)
                .file("sys/module/mlx5_ib/version", "5.0-0\n")
                .directory("sys/module/ib_uverbs")
                .directory("sys/module/ext4")
                .directory("sys/devices/system/node/node0")
                .file("sys/class/infiniband/mlx5_0/board_id", "MT_0000000012\n")
                .file("sys/class/infiniband/mlx5_0/fw_ver", "16.35.2000\n")
                .file("sys/class/infiniband/mlx5_0/ports/1/rate", "100 Gb/sec (4X EDR)\n")
                .file("sys/class/infiniband/mlx5_0/ports/1/link_layer", "InfiniBand\n")
                .file("sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n");
        Path device = Files.createDirectories(root.resolve("sys/class/infiniband/mlx5_0/device"));
        Files.createSymbolicLink(device.resolve("driver"), Path.of("../../drivers/mlx5_core"));
    }

    @Test
    void whenTheHostHasANicThenItsVersionsAreReported() {
        assertThat(new HostText(host.files()).text())
                .contains("6.8.0-45-generic", "Some Linux 12", "Some CPU @ 2.5GHz")
                .contains("libibverbs.so.1.14.44.0 libmlx5-rdmav34.so")
                .contains("ib_uverbs mlx5_ib=5.0-0\n")
                .contains("mlx5_core", "MT_0000000012", "16.35.2000")
                .contains("InfiniBand, 100 Gb/sec (4X EDR), 4: ACTIVE")
                .doesNotContain("ext4");
    }

    @Test
    void whenAReportIsPrintedThenDevicesAreTestedAndNamesAreReplaced() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();

        int status = new ReportCommand(Providers.all(), host.files(), new PrintStream(out, true, UTF_8)).run();

        assertThat(status).isZero();
        assertThat(out.toString(UTF_8))
                .contains("## Host", "## Doctor", "## Devices", "## Trial")
                .containsPattern("soft soft0 port 1, datagrams over UD: 200 rounds passed, \\d+ microseconds each")
                .containsPattern(
                        "soft soft0 port 1, READ, WRITE, atomics over RC: 200 rounds passed, \\d+ microseconds each")
                .contains("hca_id:\tsoft0", "max_qp:")
                .doesNotContain("gpu17")
                .doesNotContainPattern("::ffff:(?!127)\\d");
    }
}
