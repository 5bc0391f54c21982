package io.rdmarpc.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
@DisplayName("The script at the root of the repository")
class RdmaScriptTest {

    private record Result(int status, String output) {}

    private static Result rdma(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(Path.of("..", "rdma-rpc").toString()));
        command.addAll(List.of(arguments));
        return run(command);
    }

    private static Result run(List<String> command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        process.getOutputStream().close();
        String output = String.join("\n", process.inputReader().lines().toList());
        return new Result(process.waitFor(), output);
    }

    @Test
    void shouldPrintTheSoftwareRnic() throws IOException, InterruptedException {
        Result result = rdma("devices", "-d", "soft0");

        assertThat(result.status()).as(result.output()).isZero();
        assertThat(result.output()).contains("hca_id:\tsoft0").contains("PORT_ACTIVE (4)");
    }

    @Test
    void shouldFindAUsableProvider() throws IOException, InterruptedException {
        Result result = rdma("doctor");

        assertThat(result.status()).as(result.output()).isZero();
        assertThat(result.output())
                .contains("soft0 opens and registers memory")
                .containsPattern("(?m)^usable: .*soft$")
                .doesNotContain("WARNING");
    }

    @Test
    void whenTheCommandIsUnknownThenItPrintsItsUsage() throws IOException, InterruptedException {
        assertThat(rdma("dance").status()).isEqualTo(2);
    }

    @Test
    @DisplayName("is needed for native access: without it the doctor names the option")
    void whenTheScriptIsNotUsedThenTheDoctorNamesTheOption() throws IOException, InterruptedException {
        Result result = run(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--illegal-native-access=deny",
                "-cp",
                System.getProperty("java.class.path"),
                RdmaCommand.class.getName(),
                "doctor"));

        assertThat(result.output())
                .containsPattern("FAIL +ibverbs +.*start it with --enable-native-access=ALL-UNNAMED");
        assertThat(result.status()).isZero();
    }
}
