package io.rdmarpc.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A process that this one starts, sends lines to, and reads lines from. It ends with its input. Its standard error goes to a file, which
 * the exception shows if the process fails. Not thread-safe.
 */
public final class ChildProcess implements AutoCloseable {

    private static final long END_SECONDS = 30;

    private final List<String> command;
    private final Path errors;
    private final Process process;
    private final BufferedReader out;
    private final Writer in;

    private ChildProcess(List<String> command, Path errors, Process process) {
        this.command = command;
        this.errors = errors;
        this.process = process;
        this.out = process.inputReader(StandardCharsets.UTF_8);
        this.in = process.outputWriter(StandardCharsets.UTF_8);
    }

    /** Returns the command line of a JVM with this program's class path, some flags, a main class and its arguments. */
    public static List<String> jvm(List<String> flags, String program, List<String> words) {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.addAll(flags);
        line.addAll(List.of("-cp", System.getProperty("java.class.path"), program));
        line.addAll(words);
        return line;
    }

    /** Starts a process, which the caller closes. Throws if there is no such program. */
    public static ChildProcess start(List<String> command) throws IOException {
        Path errors = Files.createTempFile("benchmark", ".log");
        return new ChildProcess(
                command,
                errors,
                new ProcessBuilder(command)
                        .redirectError(Redirect.to(errors.toFile()))
                        .start());
    }

    /** Sends a line. Throws if the process has ended. */
    public void send(Object line) throws IOException {
        in.write(line + "\n");
        in.flush();
    }

    /** Waits for the next line of its output. Returns null at the end of the output. */
    public @Nullable String next() throws IOException {
        return out.readLine();
    }

    /** Waits for the next line of its output. Throws if the process has ended, with its standard error. */
    public String line() throws IOException {
        return line("");
    }

    /** Waits for the next line with a prefix, and returns the rest of it. Other lines, which libraries print, are skipped. */
    public String line(String prefix) throws IOException {
        for (String line = next(); line != null; line = next()) {
            if (line.startsWith(prefix)) {
                return line.substring(prefix.length());
            }
        }
        throw failure("has ended");
    }

    /** Returns what it has written to standard error. */
    public String errors() throws IOException {
        return Files.readString(errors);
    }

    /** Returns the process, for signals. */
    public Process process() {
        return process;
    }

    /** Creates an exception that shows the command line and the standard error. */
    public IOException failure(String what) throws IOException {
        return new IOException(
                "the process \"" + String.join(" ", command) + "\" " + what + ". Its standard error was:\n" + errors());
    }

    /** Ends it by the end of its input, or by force if it runs 30 s later. */
    @Override
    public void close() throws IOException {
        try {
            in.close();
        } catch (IOException e) {
            // It has ended with unread input.
        }
        try {
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        } finally {
            out.close();
            Files.deleteIfExists(errors);
        }
    }
}
