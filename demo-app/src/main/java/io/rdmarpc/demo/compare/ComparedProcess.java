package io.rdmarpc.demo.compare;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A process of the demo application that the comparison started. It obeys lines on its standard input, and responds
 * with lines that begin with {@link #MARK}. It ends when its standard input ends, so that it does not outlive the
 * comparison. Not thread-safe.
 */
final class ComparedProcess implements AutoCloseable {

    /** Distinguishes responses from log lines. */
    static final String MARK = "demo> ";

    private static final Duration LONGEST_END = Duration.ofSeconds(20);
    private static final Duration POLL = Duration.ofMillis(100);
    private static final int LOG_LINES = 200;

    private final String name;
    private final Process process;
    private final BufferedWriter commands;
    private final BlockingQueue<String> responses = new LinkedBlockingQueue<>();
    private final Deque<String> log = new ArrayDeque<>();
    private final Thread reader;

    private ComparedProcess(String name, Process process) {
        this.name = name;
        this.process = process;
        this.commands = process.outputWriter();
        this.reader = Thread.ofVirtual().name(name + " output").start(this::read);
    }

    /**
     * Starts a process.
     *
     * @param name name for messages
     * @param command program and arguments
     */
    static ComparedProcess start(String name, List<String> command) {
        try {
            return new ComparedProcess(
                    name, new ProcessBuilder(command).redirectErrorStream(true).start());
        } catch (IOException e) {
            throw new UncheckedIOException("could not start " + name + " by " + command, e);
        }
    }

    private void read() {
        try (BufferedReader output = process.inputReader()) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.startsWith(MARK)) {
                    responses.add(line.substring(MARK.length()));
                } else {
                    addToLog(line);
                }
            }
        } catch (IOException e) {
            addToLog("could not read the output: " + e);
        }
    }

    private void addToLog(String line) {
        synchronized (log) {
            if (log.size() == LOG_LINES) {
                log.removeFirst();
            }
            log.addLast(line);
        }
    }

    /** Sends a command and returns the response. */
    String request(String command, Duration limit) {
        try {
            commands.write(command);
            commands.newLine();
            commands.flush();
        } catch (IOException e) {
            throw failure("ended before the command \"" + command + "\"", e);
        }
        return response(limit);
    }

    /** Waits for the next response. */
    String response(Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        try {
            while (System.nanoTime() - end < 0) {
                String response = responses.poll(POLL.toMillis(), TimeUnit.MILLISECONDS);
                if (response != null) {
                    return response;
                }
                if (!process.isAlive() && hasReadAll() && responses.isEmpty()) {
                    throw failure("ended with status " + process.exitValue(), null);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure("was waited for by an interrupted thread", e);
        }
        throw failure("did not respond within " + limit.toSeconds() + " s", null);
    }

    private boolean hasReadAll() throws InterruptedException {
        return reader.join(POLL);
    }

    private IllegalStateException failure(String what, @Nullable Exception cause) {
        List<String> lines;
        synchronized (log) {
            lines = new ArrayList<>(log);
        }
        String output = lines.isEmpty() ? "It printed nothing." : "Its output:\n" + String.join("\n", lines);
        return new IllegalStateException(name + " " + what + ". " + output, cause);
    }

    /** Ends the process and waits for its end. */
    @Override
    public void close() {
        try {
            commands.close();
        } catch (IOException _) {
            // The process has ended already.
        }
        try {
            if (!process.waitFor(LONGEST_END)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
