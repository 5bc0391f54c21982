package io.rdmarpc.benchmarks.table;

import io.rdmarpc.benchmarks.ChildJvm;
import io.rdmarpc.benchmarks.verbs.VerbsBenchmarks;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A command of the benchmarks in a JVM of its own. What it says on standard error is shown when it fails. */
final class BenchmarkProcess implements AutoCloseable {

    /** Two threads that poll without a pause want the CPUs: no collector threads, no file that is written each second. */
    private static final List<String> FLAGS = List.of("-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xms256m", "-Xmx256m");

    private static final String NATIVE = "--enable-native-access=ALL-UNNAMED";
    private static final String NOT_NATIVE = "--illegal-native-access=deny";
    private static final long END_SECONDS = 30;

    /** Words for commands that take a device: the software RNIC, for processes of this host. */
    static final List<String> ON_SOFTWARE_RNIC =
            List.of("--provider", "soft", "-O", "soft.addresses=127.0.0.1", "-O", "soft.port=0");

    private final List<String> words;
    private final Path errors;
    private final Process process;
    private final BufferedReader out;
    private final Writer in;

    private BenchmarkProcess(List<String> words, Path errors, Process process) {
        this.words = words;
        this.errors = errors;
        this.process = process;
        this.out = process.inputReader(StandardCharsets.UTF_8);
        this.in = process.outputWriter(StandardCharsets.UTF_8);
    }

    /**
     * Starts one.
     *
     * @param nativeAccess whether it may call C
     * @param words the command with its options
     */
    static BenchmarkProcess start(boolean nativeAccess, List<String> words) throws IOException {
        List<String> flags = new ArrayList<>(FLAGS);
        flags.add(nativeAccess ? NATIVE : NOT_NATIVE);
        Path errors = Files.createTempFile("benchmark", ".log");
        Process process = ChildJvm.of(flags, VerbsBenchmarks.class.getName(), words)
                .redirectError(Redirect.to(errors.toFile()))
                .start();
        return new BenchmarkProcess(words, errors, process);
    }

    /** Asks it to measure. */
    void order() throws IOException {
        in.write("\n");
        in.flush();
    }

    /** Returns the next line it prints. */
    String line() throws IOException {
        String line = out.readLine();
        if (line == null) {
            throw failure("has ended");
        }
        return line;
    }

    /** Returns the last line it prints before it ends. */
    String lastLine() throws IOException {
        String last = line();
        for (String next = last; next != null; next = out.readLine()) {
            last = next;
        }
        return last;
    }

    /** Returns what it has printed on standard error. */
    String errors() throws IOException {
        return Files.readString(errors);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    IOException failure(String what) throws IOException {
        return new IOException("the process \"" + String.join(" ", words) + "\" " + what + ". It said:\n" + errors());
    }

    /** Ends it by the end of its input, or by force when it does not listen. */
    @Override
    public void close() throws IOException {
        try {
            ChildJvm.end(process, END_SECONDS);
        } finally {
            Files.deleteIfExists(errors);
        }
    }
}
