package io.rdmarpc.maven;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starts the process with the class path of this test, on which {@code rdma-autoconfigure} is. */
@Tag("processes")
class ContractProcessTest {

    private static final String JAVA =
            Path.of(System.getProperty("java.home"), "bin", "java").toString();

    @TempDir
    Path directory;

    private static List<String> ownClassPath() {
        return Arrays.asList(System.getProperty("java.class.path").split(File.pathSeparator));
    }

    private Properties settings(String goal) {
        Properties settings = new Properties();
        settings.setProperty("goal", goal);
        settings.setProperty("directory", directory.resolve("con tracts").toString());
        settings.setProperty("classes", directory.resolve("classes").toString());
        settings.setProperty("services", "");
        settings.setProperty("order", "any");
        settings.setProperty("format", "kryo");
        settings.setProperty("evolution", "none");
        return settings;
    }

    @Test
    void shouldReturnWhatTheProcessPrints() throws IOException, InterruptedException {
        ContractProcess.Result result = new ContractProcess(JAVA, ownClassPath()).run(directory, settings("check"));

        assertThat(result.lines()).singleElement().asString().startsWith("There is no service in ");
        assertThat(result.exit()).isEqualTo(ContractProcess.ACCEPTED);
    }

    @Test
    void whenASettingIsInvalidThenTheProcessSaysSo() throws IOException, InterruptedException {
        Properties settings = settings("check");
        settings.setProperty("order", "none");

        ContractProcess.Result result = new ContractProcess(JAVA, ownClassPath()).run(directory, settings);

        assertThat(result.exit()).isEqualTo(ContractProcess.FAILED);
        assertThat(ContractProcess.describe(result))
                .isEqualTo("The contracts were not compared: the order none is unknown: set one of [servers-first,"
                        + " clients-first, any]");
    }

    @Test
    void whenTheClassPathHasNoRdmaRpcThenTheAdviceIsAboutVersions() throws IOException, InterruptedException {
        ContractProcess.Result result =
                new ContractProcess(JAVA, List.of(directory.toString())).run(directory, settings("check"));

        assertThat(result.exit()).isNotIn(ContractProcess.ACCEPTED, ContractProcess.REJECTED, ContractProcess.FAILED);
        assertThat(ContractProcess.describe(result)).contains("Use the same version of rdma-rpc-maven-plugin");
    }

    @Test
    void whenTheJvmIsTooOldThenTheAdviceIsAboutJava() {
        ContractProcess.Result result = new ContractProcess.Result(
                1, List.of("Error: LinkageError", "java.lang.UnsupportedClassVersionError: io/rdmarpc/service/..."));

        assertThat(ContractProcess.describe(result)).contains("run Maven with JDK 25");
    }

    @Test
    void whenThereIsNoJvmThenTheCommandIsNamed() {
        assertThatIOException()
                .isThrownBy(() -> new ContractProcess(directory.resolve("java").toString(), List.of())
                        .run(directory, settings("check")))
                .withMessageContaining(directory.resolve("java").toString());
    }
}
