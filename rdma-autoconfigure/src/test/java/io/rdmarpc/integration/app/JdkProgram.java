package io.rdmarpc.integration.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program of this JDK, such as {@code java}, that is run to its end. */
public final class JdkProgram {

    private static final Path PROGRAMS = Path.of(System.getProperty("java.home"), "bin");
    private static final long LIMIT_SECONDS = 120;

    private JdkProgram() {}

    /** Returns what it has printed; its exit status has to be 0. */
    public static String run(String program, List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(PROGRAMS.resolve(program).toString()));
        command.addAll(arguments);
        Path log = Files.createTempFile(program, ".log");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            try {
                assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS))
                        .as(program)
                        .isTrue();
            } finally {
                process.destroyForcibly();
            }
            String text = Files.readString(log, StandardCharsets.UTF_8);
            assertThat(process.exitValue()).as(program + ": " + text).isZero();
            return text;
        } finally {
            Files.delete(log);
        }
    }
}
