package io.rdmarpc.docs.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A temporary directory replaces the root of the file system. Files are written there, and commands are only printed.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(60)
@DisplayName("The scripts that prepare a host")
class HostScriptsTest {

    private static final String LIMITS = "etc/security/limits.d/90-rdma-rpc.conf";

    @TempDir
    private Path root;

    private record Result(int status, String output) {}

    @BeforeEach
    void host() throws IOException {
        Files.createDirectories(root.resolve("etc"));
        Files.writeString(root.resolve("etc/group"), "root:x:0:\n");
        Files.createDirectories(root.resolve("sys/class/net/eth0"));
        Files.createDirectories(root.resolve("proc"));
        Path device = Files.createDirectories(root.resolve("sys/bus/pci/devices/0000:01:00.0"));
        Files.createSymbolicLink(device.resolve("driver"), Path.of("../../drivers/mlx5_core"));
    }

    private Result run(String script, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("../config/host/" + script, "--root", root.toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = String.join("\n", process.inputReader().lines().toList());
        return new Result(process.waitFor(), output);
    }

    private static String[] interfaceOf(String script) {
        return script.equals("nic") ? new String[0] : new String[] {"--interface", "eth0"};
    }

    private String file(String name) throws IOException {
        return Files.readString(root.resolve(name));
    }

    @ParameterizedTest
    @CsvSource({"soft-roce, rdma_rxe", "nic, mlx5_ib"})
    void whenAHostIsPreparedThenItHasModulesLimitsAndRights(String script, String module) throws Exception {
        Result result = run(script, interfaceOf(script));

        assertThat(result.status()).as(result.output()).isZero();
        assertThat(file("etc/modules-load.d/rdma-rpc.conf")).contains("ib_uverbs\n", "rdma_ucm\n", module + "\n");
        assertThat(file(LIMITS)).contains("@rdma - memlock unlimited\n");
        assertThat(file("etc/udev/rules.d/90-rdma-rpc.rules"))
                .contains("KERNEL==\"uverbs*\", GROUP=\"rdma\", MODE=\"0660\"");
        assertThat(result.output()).contains("would run: modprobe " + module, "would run: groupadd --system rdma");
    }

    @ParameterizedTest
    @ValueSource(strings = {"soft-roce", "nic"})
    void whenItIsADryRunThenNothingIsWritten(String script) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(interfaceOf(script)));
        arguments.add("--dry-run");
        Result result = run(script, arguments.toArray(String[]::new));

        assertThat(result.status()).as(result.output()).isZero();
        assertThat(result.output()).contains("would write /" + LIMITS, "    @rdma - memlock unlimited");
        try (Stream<Path> files = Files.list(root.resolve("etc"))) {
            assertThat(files).containsExactly(root.resolve("etc/group"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"soft-roce", "nic"})
    void whenItRunsAgainThenNothingChanges(String script) throws Exception {
        run(script, interfaceOf(script));
        Files.writeString(root.resolve("etc/group"), "root:x:0:\nrdma:x:998:\n");
        for (String there : List.of(
                "sys/module/ib_uverbs",
                "sys/module/rdma_ucm",
                "sys/module/rdma_rxe",
                "sys/module/mlx5_ib",
                "sys/class/infiniband/rxe0")) {
            Files.createDirectories(root.resolve(there));
        }

        Result again = run(script, interfaceOf(script));

        assertThat(again.status()).as(again.output()).isZero();
        assertThat(again.output())
                .endsWith("the host is already prepared; nothing was changed")
                .doesNotContain("write", "would run");
    }

    @Test
    void whenSettingsAreSetThenTheyAreWritten() throws Exception {
        Result result = run("nic", "--group", "orders", "--huge-pages", "64");

        assertThat(result.status()).as(result.output()).isZero();
        assertThat(file("etc/sysctl.d/90-rdma-rpc.conf")).contains("vm.nr_hugepages = 64\n");
        assertThat(file(LIMITS)).contains("@orders - memlock unlimited");
    }

    @Test
    void whenTheHostHasNoSuchNicThenItNamesTheAlternative() throws Exception {
        Files.delete(root.resolve("sys/bus/pci/devices/0000:01:00.0/driver"));

        Result result = run("nic");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.output()).contains("config/host/soft-roce", "rdma.provider=soft");
    }

    @ParameterizedTest
    @CsvSource({
        "nic, --huge-pages many, --huge-pages is 'many'",
        "nic, --dance, unknown argument --dance",
        "soft-roce, --interface, --interface needs a value",
        "soft-roce, --device a/b, --device is 'a/b'"
    })
    void whenArgumentsAreInvalidThenTheyAreReportedAndNothingChanges(String script, String arguments, String expected)
            throws Exception {
        Result result = run(script, arguments.split(" ", -1));

        assertThat(result.status()).as(result.output()).isEqualTo(2);
        assertThat(result.output()).startsWith(script + ": " + expected).contains("usage: " + script);
    }

    @Test
    void whenTheInterfaceDoesNotExistThenItIsReported() throws Exception {
        Result result = run("soft-roce", "--interface", "eth7");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.output()).isEqualTo("soft-roce: this host has no network interface eth7");
    }
}
