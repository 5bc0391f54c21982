package io.rdmarpc.benchmarks.load;

import io.rdmarpc.benchmarks.ChildProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** A server process and its client process. */
public final class Pair implements AutoCloseable {

    /** JVM flags. Aeron needs {@code --add-opens} and Unsafe, which do not affect the other peers. */
    private static final List<String> FLAGS = List.of(
            "-Xms1g",
            "-Xmx1g",
            "-XX:+AlwaysPreTouch",
            "-XX:MaxDirectMemorySize=2g",
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "--enable-native-access=ALL-UNNAMED",
            "-Djava.net.preferIPv4Stack=true");

    private final ChildProcess server;
    private final ChildProcess client;
    private boolean collected;

    private Pair(ChildProcess server, ChildProcess client) {
        this.server = server;
        this.client = client;
    }

    /**
     * Returns the flags of all measured JVMs.
     *
     * @return the flags, separated by blanks
     */
    public static String flags() {
        return String.join(" ", FLAGS);
    }

    /**
     * Starts both processes.
     *
     * @param program class whose {@code main} accepts {@code serve NAME} and {@code call NAME ADDRESS}
     * @param contestant the name
     * @return the pair, which the caller closes
     * @throws IOException if one of the processes does not start
     */
    public static Pair start(Class<?> program, String contestant) throws IOException {
        return start(program, contestant, List.of());
    }

    /**
     * Starts both processes with additional flags.
     *
     * @param program class whose {@code main} accepts {@code serve NAME} and {@code call NAME ADDRESS}
     * @param contestant the name
     * @param moreFlags additional flags of both JVMs
     * @return the pair, which the caller closes
     * @throws IOException if one of the processes does not start
     */
    public static Pair start(Class<?> program, String contestant, List<String> moreFlags) throws IOException {
        return start(program, contestant, moreFlags, UnaryOperator.identity());
    }

    /**
     * Starts both processes with changed command lines, for example of another build.
     *
     * @param program class whose {@code main} accepts {@code serve NAME} and {@code call NAME ADDRESS}
     * @param contestant the name
     * @param change changes the command line of each process
     * @return the pair, which the caller closes
     * @throws IOException if one of the processes does not start
     */
    public static Pair start(Class<?> program, String contestant, UnaryOperator<List<String>> change)
            throws IOException {
        return start(program, contestant, List.of(), change);
    }

    private static Pair start(
            Class<?> program, String contestant, List<String> moreFlags, UnaryOperator<List<String>> change)
            throws IOException {
        List<String> flags = Stream.concat(FLAGS.stream(), moreFlags.stream()).toList();
        ChildProcess server = ChildProcess.start(
                change.apply(ChildProcess.jvm(flags, program.getName(), List.of("serve", contestant))));
        ChildProcess client = null;
        try {
            String address = server.line(Supervisor.RESPONSE);
            client = ChildProcess.start(
                    change.apply(ChildProcess.jvm(flags, program.getName(), List.of("call", contestant, address))));
            String _ = client.line(Supervisor.RESPONSE);
            return new Pair(server, client);
        } catch (IOException | RuntimeException e) {
            if (client != null) {
                client.close();
            }
            server.close();
            throw e;
        }
    }

    private static String ask(ChildProcess process, String request) throws IOException {
        process.send(request);
        return process.line(Supervisor.RESPONSE);
    }

    private static BenchmarkCounters counters(ChildProcess process) throws IOException {
        return BenchmarkCounters.parse(ask(process, "counters"));
    }

    /**
     * Makes calls that do not count, until they no longer get faster. The first time, it then makes both processes
     * collect garbage and repeats the warm-up. The collection moves long-lived objects, 16 MB for a Spring application,
     * to the old generation, as in processes that have run for a minute. Measured collections then do not copy them.
     * The second warm-up is necessary because a full collection also discards compiled code.
     *
     * @param cell kind of calls
     * @param seconds maximum duration; half as long after the collection
     * @return whether calls stopped getting faster within the time
     * @throws IOException if one of the processes has ended
     */
    public boolean warmUp(Cell cell, double seconds) throws IOException {
        boolean warm = new WarmUp(seconds).run(slice -> measure(cell, slice));
        if (collected) {
            return warm;
        }
        collected = true;
        ask(server, Supervisor.COLLECT);
        ask(client, Supervisor.COLLECT);
        return new WarmUp(seconds / 2).run(slice -> measure(cell, slice));
    }

    /**
     * Measures calls. The client prepares the calls before the measurement starts.
     *
     * @param cell kind of calls
     * @param seconds duration; 0 for one call per caller
     * @return the measurement
     * @throws IOException if one of the processes has ended
     */
    public BenchmarkMeasurement measure(Cell cell, double seconds) throws IOException {
        ask(client, "prepare " + cell.words());
        BenchmarkCounters serverBefore = counters(server);
        BenchmarkCounters clientBefore = counters(client);
        BenchmarkOutcome outcome = BenchmarkOutcome.parse(ask(client, "run " + seconds));
        BenchmarkCounters clientUse = counters(client).since(clientBefore);
        BenchmarkCounters serverUse = counters(server).since(serverBefore);
        ask(client, "end");
        return new BenchmarkMeasurement(outcome, clientUse, serverUse);
    }

    /**
     * Measures calls and samples the CPU time of both processes meanwhile.
     *
     * @param cell kind of calls
     * @param seconds duration
     * @param clientFile file for the client's samples
     * @param serverFile file for the server's samples
     * @return the measurement, which includes the cost of sampling
     * @throws IOException if one of the processes has ended
     */
    public BenchmarkMeasurement sample(Cell cell, double seconds, Path clientFile, Path serverFile) throws IOException {
        ask(server, "sample");
        ask(client, "sample");
        BenchmarkMeasurement measured = measure(cell, seconds);
        ask(client, Supervisor.SAVE + clientFile);
        ask(server, Supervisor.SAVE + serverFile);
        return measured;
    }

    /**
     * Measures both processes without calls.
     *
     * @param millis duration in milliseconds
     * @return the measurement, without calls
     * @throws IOException if one of the processes has ended
     */
    public BenchmarkMeasurement idle(long millis) throws IOException {
        BenchmarkCounters serverBefore = counters(server);
        BenchmarkCounters clientBefore = counters(client);
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        BenchmarkCounters clientUse = counters(client).since(clientBefore);
        return new BenchmarkMeasurement(
                new BenchmarkOutcome(0, millis / 1e3, List.of()),
                clientUse,
                counters(server).since(serverBefore));
    }

    /**
     * Prepares calls whose threads then wait for {@link #runPrepared}.
     *
     * @param cell kind of calls
     * @throws IOException if the client has ended
     */
    public void prepare(Cell cell) throws IOException {
        ask(client, "prepare " + cell.words());
    }

    /**
     * Makes the prepared calls, one per caller, without any other request to the two processes just before it.
     *
     * @return the calls
     * @throws IOException if the client has ended
     */
    public BenchmarkOutcome runPrepared() throws IOException {
        BenchmarkOutcome outcome = BenchmarkOutcome.parse(ask(client, "run 0"));
        ask(client, "end");
        return outcome;
    }

    @Override
    public void close() throws IOException {
        try (server) {
            client.close();
        }
    }
}
