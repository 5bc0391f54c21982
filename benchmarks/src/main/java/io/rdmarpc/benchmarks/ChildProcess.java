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
 * A child process that exchanges lines with this process. The child ends when its standard input ends. Its standard
 * error goes to a file, whose content is part of the exception if the process fails. Not thread-safe.
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

    /** Returns a command line for a JVM with this program's class path, JVM flags, a main class and its arguments. */
    public static List<String> jvm(List<String> flags, String program, List<String> words) {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.addAll(flags);
        line.addAll(List.of("-cp", System.getProperty("java.class.path"), program));
        line.addAll(words);
        return line;
    }

    /** Starts a process, which the caller closes. Throws if the program does not exist. */
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

    /** Waits for the next line of its output. Throws an exception with its standard error if the process has ended. */
    public String line() throws IOException {
        return line("");
    }

    /**
     * Waits for the next line with a prefix and returns the rest of that line. Skips other lines, which libraries
     * print.
     */
    public String line(String prefix) throws IOException {
        for (String line = next(); line != null; line = next()) {
            if (line.startsWith(prefix)) {
                return line.substring(prefix.length());
            }
        }
        throw failure("ended");
    }

    /** Returns its standard error so far. */
    public String errors() throws IOException {
        return Files.readString(errors);
    }

    /** Returns the process, to send signals to it. */
    public Process process() {
        return process;
    }

    /** Creates an exception with the command line and the standard error. */
    public IOException failure(String what) throws IOException {
        return new IOException(
                "the process \"" + String.join(" ", command) + "\" " + what + ". Its standard error was:\n" + errors());
    }

    /** Ends the process by closing its input, or by force if it still runs after 30 s. */
    @Override
    public void close() throws IOException {
        try {
            in.close();
        } catch (IOException e) {
            // The process ended before it read all of its input.
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
