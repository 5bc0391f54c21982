package io.rdmarpc.benchmarks.probe;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The other end of a probe, seen from the first: a JVM that reads orders and prints answers. */
final class SecondProcess implements AutoCloseable {

    private final Process process;
    private final Writer orders;
    private final BufferedReader answers;

    private SecondProcess(Process process) {
        this.process = process;
        this.orders = process.outputWriter(StandardCharsets.US_ASCII);
        this.answers = process.inputReader(StandardCharsets.US_ASCII);
    }

    static SecondProcess start(String probe) throws IOException {
        return new SecondProcess(new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:+UseSerialGC",
                        "-XX:-UsePerfData",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Probes.class.getName(),
                        probe,
                        "--second")
                .redirectError(Redirect.INHERIT)
                .start());
    }

    void order(Object line) throws IOException {
        orders.write(line + "\n");
        orders.flush();
    }

    String answer() throws IOException {
        String line = answers.readLine();
        if (line == null) {
            throw new IOException("the other process has ended; its own output says why");
        }
        return line;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
