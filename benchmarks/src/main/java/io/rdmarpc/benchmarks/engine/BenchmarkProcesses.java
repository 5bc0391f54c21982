package io.rdmarpc.benchmarks.engine;

import io.rdmarpc.benchmarks.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Starts this program again: servers, clients, probes. Each process has the same Java and the same flags. */
final class BenchmarkProcesses {

    private static final List<String> FLAGS = List.of(
            "-XX:+UseSerialGC",
            "-XX:-UsePerfData",
            "-Xms256m",
            "-Xmx256m",
            "-XX:MaxDirectMemorySize=1g",
            "--enable-native-access=ALL-UNNAMED");

    private static final long LIMIT_SECONDS = 120;

    /** Both ends of an echo; returns the client's number. */
    double echo(EchoMeasure measure, double seconds) throws IOException, InterruptedException {
        Process server = start("echo-server", "--cpu", "0");
        try (BufferedReader out = server.inputReader(StandardCharsets.US_ASCII)) {
            @Nullable String port = out.readLine();
            if (port == null) {
                throw new IOException("the server has ended with status " + server.waitFor());
            }
            return number(start(
                    "echo-client",
                    "--cpu",
                    "1",
                    "--port",
                    port,
                    "--measure",
                    measure.name(),
                    "--seconds",
                    Double.toString(seconds)));
        } finally {
            ChildJvm.end(server, LIMIT_SECONDS);
        }
    }

    /** A probe; its line is {@code name value unit ...}. */
    double probe(List<String> words) throws IOException, InterruptedException {
        return number(start(words.toArray(String[]::new)));
    }

    private static double number(Process process) throws IOException, InterruptedException {
        String last = "";
        try (BufferedReader out = process.inputReader(StandardCharsets.US_ASCII)) {
            for (@Nullable String line = out.readLine(); line != null; line = out.readLine()) {
                last = line;
            }
            int status = process.waitFor();
            if (status != 0) {
                throw new IOException("a process has ended with status " + status + "; its own output says why");
            }
            String[] words = last.split(" ", -1);
            return Double.parseDouble(words.length > 1 ? words[1] : words[0]);
        } finally {
            ChildJvm.end(process, LIMIT_SECONDS);
        }
    }

    private static Process start(String... words) throws IOException {
        List<String> command = new ArrayList<>();
        if (words[0].startsWith("echo-")) {
            command.add("rpc");
        }
        command.addAll(Arrays.asList(words));
        return ChildJvm.of(FLAGS, "io.rdmarpc.benchmarks.verbs.VerbsBenchmarks", command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }
}
