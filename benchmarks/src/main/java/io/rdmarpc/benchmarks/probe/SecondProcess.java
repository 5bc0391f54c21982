package io.rdmarpc.benchmarks.probe;

import io.rdmarpc.benchmarks.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The other end of a probe, seen from the first: a JVM that reads requests and prints answers. */
final class SecondProcess implements AutoCloseable {

    private static final List<String> FLAGS =
            List.of("--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:-UsePerfData");

    private final Process process;
    private final Writer requests;
    private final BufferedReader answers;

    private SecondProcess(Process process) {
        this.process = process;
        this.requests = process.outputWriter(StandardCharsets.US_ASCII);
        this.answers = process.inputReader(StandardCharsets.US_ASCII);
    }

    static SecondProcess start(String probe) throws IOException {
        return new SecondProcess(ChildJvm.of(FLAGS, Probes.class.getName(), List.of(probe, "--second"))
                .redirectError(Redirect.INHERIT)
                .start());
    }

    void request(Object line) throws IOException {
        requests.write(line + "\n");
        requests.flush();
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
