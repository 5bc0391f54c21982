package io.rdmarpc.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

@Timeout(60)
@DisplayName("The executable jar")
class ExecutableJarIT {

    private static final Path JAR = Path.of(System.getProperty("cli.jar"));

    /** The jar runs there, because it may need nothing of the checkout. */
    @TempDir
    private Path elsewhere;

    private record Result(int status, String output) {}

    private Result run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--illegal-native-access=deny",
                "-jar",
                JAR.toAbsolutePath().toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .directory(elsewhere.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String output = String.join("\n", process.inputReader().lines().toList());
        return new Result(process.waitFor(), output);
    }

    @Test
    void shouldFindAUsableProviderWithoutOptionsOfTheJvm() throws IOException, InterruptedException {
        Result result = run("doctor");

        assertThat(result.status()).as(result.output()).isZero();
        assertThat(result.output())
                .contains("soft0 opens and registers memory")
                .containsPattern("(?m)^usable: .*soft$")
                .doesNotContain("WARNING", "--enable-native-access");
    }

    @Test
    @DisplayName("prints JSON and nothing else")
    void shouldPrintJsonOnly() throws IOException, InterruptedException {
        for (String command : List.of("doctor", "devices")) {
            Result result = run(command, "--json");

            assertThat(result.status()).as(result.output()).isZero();
            assertThat(new JsonMapper().readTree(result.output()).get("version").asInt())
                    .isOne();
        }
    }

    @Test
    void whenTheCommandIsUnknownThenItPrintsItsUsage() throws IOException, InterruptedException {
        assertThat(run("dance").status()).isEqualTo(2);
    }

    @Test
    void shouldContainOnlyThisProject() throws IOException {
        try (JarFile jar = new JarFile(JAR.toFile())) {
            assertThat(jar.stream().filter(entry -> !entry.isDirectory()).map(ZipEntry::getName))
                    .doesNotHaveDuplicates()
                    .contains("META-INF/LICENSE", "META-INF/services/io.rdmarpc.verbs.VerbsProvider")
                    .allMatch(name -> name.startsWith("io/rdmarpc/") || name.startsWith("META-INF/"));
            Attributes manifest = jar.getManifest().getMainAttributes();
            assertThat(manifest.getValue("Main-Class")).isEqualTo(RdmaCommand.class.getName());
            assertThat(manifest.getValue("Enable-Native-Access")).isEqualTo("ALL-UNNAMED");
        }
    }
}
