package io.rdmarpc.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The command")
class RdmaCommandTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    private Path root;

    private int run(String... arguments) {
        return new RdmaCommand(new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8), root)
                .run(List.of(arguments));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "'', a command is missing",
        "dance, unknown command dance",
        "devices -x, the command devices has no option -x",
        "devices -d, option -d requires the name of a device",
        "doctor now, the command doctor has no option now"
    })
    void whenArgumentsAreInvalidThenItPrintsItsUsage(String arguments, String expected) {
        int status = run(arguments.isEmpty() ? new String[0] : arguments.split(" ", -1));

        assertThat(status).isEqualTo(2);
        assertThat(err.toString(UTF_8)).startsWith("rdma-rpc: " + expected).contains("usage: rdma-rpc devices");
        assertThat(out.size()).isZero();
    }

    @Test
    void shouldPrintItsUsage() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString(UTF_8)).startsWith("usage: rdma-rpc devices").contains("rdma-rpc doctor");
    }

    @Test
    @DisplayName("prints a device in the format of ibv_devinfo")
    void shouldPrintADevice() {
        assertThat(run("devices", "-d", "soft0")).isZero();
        assertThat(out.toString(UTF_8))
                .startsWith("hca_id:\tsoft0\n\ttransport:\t\t\tInfiniBand (0)\n")
                .contains("\tphys_port_cnt:\t\t\t1\n\t\tport:\t1\n\t\t\tstate:\t\t\tPORT_ACTIVE (4)\n")
                .containsPattern("\t\t\tGID\\[  0]:\t\t::ffff:[0-9.]+, RoCE v2\n")
                .doesNotContain("max_qp:");
    }

    @Test
    void shouldPrintAllAttributes() {
        assertThat(run("devices", "-v", "-d", "soft0")).isZero();
        assertThat(out.toString(UTF_8))
                .contains("\tmax_qp:\t\t\t\t16384\n")
                .contains("\tatomic_cap:\t\t\tATOMIC_GLOB (2)\n")
                .contains("\t\t\tmax_msg_sz:\t\t0x40000000\n")
                .contains("\t\t\tactive_width:\t\t1X (1)\n")
                .contains("\t\t\tphys_state:\t\tLINK_UP (5)\n");
    }

    @Test
    void shouldPrintNames() {
        assertThat(run("devices", "-l")).isZero();
        assertThat(out.toString(UTF_8)).endsWith("soft0\n");
    }

    @Test
    void whenTheDeviceIsMissingThenItFails() {
        assertThat(run("devices", "-d", "mlx9_9")).isEqualTo(1);
        assertThat(err.toString(UTF_8)).contains("no RDMA device mlx9_9");
    }

    @Test
    @DisplayName("doctor has exit status 0 if one provider is usable")
    void whenAProviderIsUsableThenTheDoctorSucceeds() {
        assertThat(run("doctor")).isZero();
        assertThat(out.toString(UTF_8))
                .contains("FAIL  kernel")
                .contains("OK    soft         soft0 opens and registers memory")
                .containsPattern("(?m)^usable: .*soft$");
    }

    @Test
    void whenNoProviderIsUsableThenTheDoctorFails() {
        PrintStream lines = new PrintStream(out, true, UTF_8);

        assertThat(new DoctorCommand(List.of(), new HostFiles(root), lines).run())
                .isEqualTo(1);
        assertThat(out.toString(UTF_8)).endsWith("no provider is usable\n");
    }
}
