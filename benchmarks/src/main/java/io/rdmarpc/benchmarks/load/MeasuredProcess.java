package io.rdmarpc.benchmarks.load;

import io.rdmarpc.benchmarks.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A server or a client, seen from the process that orders it about. All have the same JVM and the same flags. */
final class MeasuredProcess implements AutoCloseable {

    /** Aeron wants the first opening and Unsafe; that they are there changes nothing for others. */
    static final List<String> FLAGS = List.of(
            "-Xms1g",
            "-Xmx1g",
            "-XX:+AlwaysPreTouch",
            "-XX:MaxDirectMemorySize=2g",
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "--enable-native-access=ALL-UNNAMED",
            "-Djava.net.preferIPv4Stack=true");

    private static final long END_SECONDS = 20;

    private final String what;
    private final Process process;
    private final Path errors;
    private final BufferedReader out;
    private final Writer in;

    MeasuredProcess(List<String> moreFlags, String program, String... words) throws IOException {
        what = program + " " + String.join(" ", words);
        errors = Files.createTempFile("benchmark", ".log");
        process = ChildJvm.of(Stream.concat(FLAGS.stream(), moreFlags.stream()).toList(), program, List.of(words))
                .redirectError(Redirect.to(errors.toFile()))
                .start();
        out = process.inputReader(StandardCharsets.UTF_8);
        in = process.outputWriter(StandardCharsets.UTF_8);
    }

    /** Waits for the next answer. What libraries print in between is left out. */
    String answer() throws IOException {
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.startsWith(Supervisor.ANSWER)) {
                return line.substring(Supervisor.ANSWER.length());
            }
        }
        throw new IOException(what + " has ended. It said:\n" + Files.readString(errors));
    }

    String ask(String order) throws IOException {
        in.write(order + "\n");
        in.flush();
        return answer();
    }

    BenchmarkCounters counters() throws IOException {
        return BenchmarkCounters.parse(ask("counters"));
    }

    /** Ends it by the end of its input, or by force when it does not listen. */
    @Override
    public void close() throws IOException {
        try {
            ChildJvm.end(process, END_SECONDS);
        } finally {
            out.close();
            Files.deleteIfExists(errors);
        }
    }
}
