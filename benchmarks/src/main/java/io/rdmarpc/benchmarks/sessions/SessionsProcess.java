package io.rdmarpc.benchmarks.sessions;

import io.rdmarpc.benchmarks.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The server, or one of the clients, in a JVM of its own: answers a line of input with a line of numbers. */
final class SessionsProcess implements AutoCloseable {

    private static final List<String> FLAGS = List.of(
            "-XX:+UseSerialGC",
            "-XX:-UsePerfData",
            "-Xms512m",
            "-Xmx512m",
            "-XX:MaxDirectMemorySize=1g",
            "--enable-native-access=ALL-UNNAMED");
    private static final long LIMIT_SECONDS = 60;

    private final Process process;
    private final BufferedReader said;

    private SessionsProcess(Process process) {
        this.process = process;
        this.said = process.inputReader(StandardCharsets.US_ASCII);
    }

    static SessionsProcess start(Class<?> program, Object... arguments) throws IOException {
        List<String> words = Arrays.stream(arguments).map(String::valueOf).toList();
        return new SessionsProcess(ChildJvm.of(FLAGS, program.getName(), words)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    void order() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
    }

    double[] numbers() throws IOException, InterruptedException {
        @Nullable String line = said.readLine();
        if (line == null) {
            throw new IOException("a process has ended with status " + process.waitFor());
        }
        return Arrays.stream(line.split(" ", -1))
                .mapToDouble(Double::parseDouble)
                .toArray();
    }

    @Override
    public void close() throws IOException {
        ChildJvm.end(process, LIMIT_SECONDS);
    }
}
