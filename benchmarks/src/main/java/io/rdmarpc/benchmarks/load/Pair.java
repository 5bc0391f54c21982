package io.rdmarpc.benchmarks.load;

import io.rdmarpc.benchmarks.ChildProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A server process and a client process of it. */
public final class Pair implements AutoCloseable {

    /** Aeron needs the first opening and Unsafe, which do not affect the others. */
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
     * Returns the flags of all JVMs that are measured.
     *
     * @return flags, with blanks between
     */
    public static String flags() {
        return String.join(" ", FLAGS);
    }

    /**
     * Starts both.
     *
     * @param program the class whose {@code main} takes {@code serve NAME} and {@code call NAME ADDRESS}
     * @param contestant the name
     * @return to be closed by the caller
     * @throws IOException if one of them does not start
     */
    public static Pair start(Class<?> program, String contestant) throws IOException {
        return start(program, contestant, List.of());
    }

    /**
     * Starts both with more flags than are measured with.
     *
     * @param program the class whose {@code main} takes {@code serve NAME} and {@code call NAME ADDRESS}
     * @param contestant the name
     * @param moreFlags of both JVMs
     * @return to be closed by the caller
     * @throws IOException if one of them does not start
     */
    public static Pair start(Class<?> program, String contestant, List<String> moreFlags) throws IOException {
        List<String> flags = Stream.concat(FLAGS.stream(), moreFlags.stream()).toList();
        ChildProcess server =
                ChildProcess.start(ChildProcess.jvm(flags, program.getName(), List.of("serve", contestant)));
        ChildProcess client = null;
        try {
            String address = server.line(Supervisor.RESPONSE);
            client = ChildProcess.start(
                    ChildProcess.jvm(flags, program.getName(), List.of("call", contestant, address)));
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
     * Makes calls that do not count until they get no faster; the first time it then lets both collect their garbage, and
     * makes calls until they get no faster again. What lives as long as the processes, for a Spring application 16 MB, is
     * old then, as it is in those that have run for a minute, and is not copied in each collection that is measured; but a
     * full collection also throws compiled code away.
     *
     * @param cell which
     * @param seconds how long at most; half as long after the collection
     * @return whether they were warm before that
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
     * Measures. What has to be there before the first call is made first, and not part of it.
     *
     * @param cell which calls
     * @param seconds how long; 0 for one call of each caller
     * @return what they cost
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
     * Measures, and takes samples of the processor time of both meanwhile.
     *
     * @param cell which calls
     * @param seconds how long
     * @param clientFile where the client's samples go
     * @param serverFile where the server's go
     * @return what they cost, the samples included
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
     * Lets both do nothing.
     *
     * @param millis how long
     * @return what that cost
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

    @Override
    public void close() throws IOException {
        try (server) {
            client.close();
        }
    }
}
