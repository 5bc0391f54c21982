package io.rdmarpc.benchmarks.harness;

import io.rdmarpc.benchmarks.ChildProcess;
import io.rdmarpc.benchmarks.verbs.VerbsBenchmarks;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Measures one number repeatedly, by commands of the benchmarks' jar in separate processes. A cell of {@code verbs.csv}
 * and similar tables specifies a meter as {@code KIND COLUMN COMMAND...}. The number is the word at COLUMN of the last
 * line that the command prints, counted from 1, or backwards from -1.
 *
 * <pre>
 *   stay     one process, which measures once for each line of its input
 *   pair     a server and a client of the software RNIC, each pinned to a CPU; the client measures for each input line
 *   once     a new process for each number
 *   echo     a new server and a new client of the engine for each number
 *   main     a new process that runs another class, with default JVM flags
 *   script   a script of the project
 * </pre>
 */
final class Meter implements AutoCloseable {

    /** Flags that leave the CPUs to polling threads: no parallel collector threads, no performance data file. */
    private static final List<String> FLAGS = List.of("-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xms256m", "-Xmx256m");

    private static final String NATIVE = "--enable-native-access=ALL-UNNAMED";
    private static final List<String> SOFTWARE_RNIC =
            List.of("--provider", "soft", "-O", "soft.addresses=127.0.0.1", "-O", "soft.port=0");
    private static final List<String> COUNTS = List.of("-n", "--warm-up", "--seconds");
    private static final Pattern LISTENING = Pattern.compile("listening on TCP port (\\d+)");
    private static final long START_LIMIT_NANOS = 60_000_000_000L;

    /** Duration of the warm-up in nanoseconds. READs and WRITEs of 1 MiB became faster for about this time. */
    private static final double WARM_UP_NANOS = 4e9;

    private final String kind;
    private final int column;
    private final List<String> command;
    private final List<ChildProcess> processes = new ArrayList<>();

    private Meter(String kind, int column, List<String> command) {
        this.kind = kind;
        this.column = column;
        this.command = command;
    }

    /**
     * Starts the processes that serve all measurements. Divides all counts and durations by a share. A share greater
     * than 1 only checks that the command runs.
     */
    static Meter open(String line, int share) throws IOException {
        List<String> words = new ArrayList<>(List.of(line.split(" ", -1)));
        for (int i = 1; i < words.size(); i++) {
            if (COUNTS.contains(words.get(i - 1))) {
                words.set(i, divided(words.get(i), share));
            }
        }
        Meter meter = new Meter(words.getFirst(), Integer.parseInt(words.get(1)), words.subList(2, words.size()));
        try {
            meter.open(WARM_UP_NANOS / share);
            return meter;
        } catch (IOException | RuntimeException e) {
            meter.close();
            throw e;
        }
    }

    private static String divided(String number, int share) {
        return number.contains(".")
                ? Double.toString(Double.parseDouble(number) / share)
                : Integer.toString(Math.max(1, Integer.parseInt(number) / share));
    }

    private void open(double warmUpNanos) throws IOException {
        if (kind.equals("stay")) {
            start(true, command, "--on-demand");
        } else if (kind.startsWith("pair")) {
            boolean nativeAccess = kind.equals("pair");
            List<String> words = with(command, SOFTWARE_RNIC);
            start(nativeAccess, words, "-p", "0", "--cpu", "0");
            start(nativeAccess, words, "-p", port(processes.getFirst()), "--cpu", "1", "--on-demand", "127.0.0.1");
            String _ = processes.getLast().line(); // skips the names of the columns
            long start = System.nanoTime();
            do {
                measure();
            } while (System.nanoTime() - start < warmUpNanos);
        }
    }

    private static List<String> with(List<String> words, List<String> more) {
        List<String> all = new ArrayList<>(words);
        all.addAll(more);
        return all;
    }

    private void start(boolean nativeAccess, List<String> words, String... more) throws IOException {
        String access = nativeAccess ? NATIVE : "--illegal-native-access=deny";
        processes.add(ChildProcess.start(ChildProcess.jvm(
                with(FLAGS, List.of(access)), VerbsBenchmarks.class.getName(), with(words, Arrays.asList(more)))));
    }

    private static String port(ChildProcess server) throws IOException {
        long start = System.nanoTime();
        while (server.process().isAlive() && System.nanoTime() - start < START_LIMIT_NANOS) {
            Matcher found = LISTENING.matcher(server.errors());
            if (found.find()) {
                return found.group(1);
            }
            LockSupport.parkNanos(20_000_000);
        }
        throw server.failure("ended before it listened");
    }

    double measure() throws IOException {
        switch (kind) {
            case "once" -> start(true, command);
            case "main" ->
                processes.add(ChildProcess.start(
                        ChildProcess.jvm(List.of(NATIVE), command.getFirst(), command.subList(1, command.size()))));
            case "script" -> {
                String root = System.getProperty("benchmarks.root", ".");
                processes.add(ChildProcess.start(
                        with(List.of(root + "/" + command.getFirst()), command.subList(1, command.size()))));
            }
            case "echo" -> {
                List<String> words = with(List.of("rpc", "echo-server"), SOFTWARE_RNIC);
                start(true, words, "--cpu", "0");
                words.set(1, "echo-client");
                start(
                        true,
                        with(words, command),
                        "--cpu",
                        "1",
                        "--port",
                        processes.getFirst().line());
            }
            default -> {
                processes.getLast().send("");
                return number(processes.getLast().line());
            }
        }
        double number = number(lastLine(processes.getLast()));
        close();
        return number;
    }

    private static String lastLine(ChildProcess process) throws IOException {
        String last = process.line();
        for (String next = last; next != null; next = process.next()) {
            last = next;
        }
        return last;
    }

    private double number(String line) {
        String[] words = line.strip().split("\\s+", -1);
        return Double.parseDouble(words[column < 0 ? words.length + column : column - 1]);
    }

    /** Ends the clients first, because their servers end with them. */
    @Override
    public void close() throws IOException {
        for (ChildProcess process : processes.reversed()) {
            process.close();
        }
        processes.clear();
    }
}
