package io.rdmarpc.benchmarks.load;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A server process and a client process of it. */
public final class Pair implements AutoCloseable {

    private final MeasuredProcess server;
    private final MeasuredProcess client;
    private boolean collected;

    private Pair(MeasuredProcess server, MeasuredProcess client) {
        this.server = server;
        this.client = client;
    }

    /**
     * Tells what all JVMs that are measured have in common.
     *
     * @return flags, with blanks between
     */
    public static String flags() {
        return String.join(" ", MeasuredProcess.FLAGS);
    }

    /**
     * Starts both.
     *
     * @param program the class whose {@code main} takes {@code serve NAME} and {@code call NAME ADDRESS}
     * @param contestant the name
     * @return to be closed by the caller
     * @throws IOException when one of them does not start
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
     * @throws IOException when one of them does not start
     */
    public static Pair start(Class<?> program, String contestant, List<String> moreFlags) throws IOException {
        MeasuredProcess server = new MeasuredProcess(moreFlags, program.getName(), "serve", contestant);
        MeasuredProcess client = null;
        try {
            String address = server.answer();
            client = new MeasuredProcess(moreFlags, program.getName(), "call", contestant, address);
            client.answer();
            return new Pair(server, client);
        } catch (IOException | RuntimeException e) {
            if (client != null) {
                client.close();
            }
            server.close();
            throw e;
        }
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
     * @throws IOException when one of the processes has ended
     */
    public boolean warmUp(Cell cell, double seconds) throws IOException {
        boolean warm = new WarmUp(seconds).run(slice -> measure(cell, slice));
        if (collected) {
            return warm;
        }
        collected = true;
        server.ask(Supervisor.COLLECT);
        client.ask(Supervisor.COLLECT);
        return new WarmUp(seconds / 2).run(slice -> measure(cell, slice));
    }

    /**
     * Measures. What has to be there before the first call is made first, and not part of it.
     *
     * @param cell which calls
     * @param seconds how long; 0 for one call of each caller
     * @return what they cost
     * @throws IOException when one of the processes has ended
     */
    public BenchmarkMeasurement measure(Cell cell, double seconds) throws IOException {
        client.ask("prepare " + cell.words());
        BenchmarkCounters serverBefore = server.counters();
        BenchmarkCounters clientBefore = client.counters();
        BenchmarkOutcome outcome = BenchmarkOutcome.parse(client.ask("run " + seconds));
        BenchmarkCounters clientUse = client.counters().since(clientBefore);
        BenchmarkCounters serverUse = server.counters().since(serverBefore);
        client.ask("end");
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
     * @throws IOException when one of the processes has ended
     */
    public BenchmarkMeasurement sample(Cell cell, double seconds, Path clientFile, Path serverFile) throws IOException {
        server.ask("sample");
        client.ask("sample");
        BenchmarkMeasurement measured = measure(cell, seconds);
        client.ask(Supervisor.SAVE + clientFile);
        server.ask(Supervisor.SAVE + serverFile);
        return measured;
    }

    /**
     * Lets both do nothing.
     *
     * @param millis how long
     * @return what that cost
     * @throws IOException when one of the processes has ended
     */
    public BenchmarkMeasurement idle(long millis) throws IOException {
        BenchmarkCounters serverBefore = server.counters();
        BenchmarkCounters clientBefore = client.counters();
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        BenchmarkCounters clientUse = client.counters().since(clientBefore);
        return new BenchmarkMeasurement(
                new BenchmarkOutcome(0, millis / 1e3, List.of()),
                clientUse,
                server.counters().since(serverBefore));
    }

    @Override
    public void close() throws IOException {
        try (server) {
            client.close();
        }
    }
}
