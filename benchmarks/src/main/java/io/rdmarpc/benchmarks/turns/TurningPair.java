package io.rdmarpc.benchmarks.turns;

import io.rdmarpc.benchmarks.ChildProcess;
import io.rdmarpc.benchmarks.load.Pair;
import io.rdmarpc.benchmarks.load.Payload;
import io.rdmarpc.benchmarks.probe.ffi.ProcessSignals;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A server and a client that calls it all the time. Both processes are stopped outside their turns. */
public final class TurningPair implements AutoCloseable {

    /** Time at the beginning of a turn that does not count, because the caches still hold data of other processes. */
    private static final long SETTLE_NANOS = 8_000_000;

    private final Arena arena = Arena.ofShared();
    private final List<ChildProcess> processes = new CopyOnWriteArrayList<>();
    private final Path file;
    private final CallTimes times;
    private int batch = CallTimes.BATCH;

    private TurningPair(Path file) throws IOException {
        this.file = file;
        this.times = CallTimes.of(arena, file);
    }

    /**
     * Starts both processes, which takes seconds. They run until {@link #stop}, and the caller closes them. A batch is
     * the number of calls between two readings of the clock. Builds older than this argument ignore it.
     */
    public static TurningPair start(Turner turner, Payload payload, int batch) throws IOException {
        TurningPair pair = new TurningPair(Files.createTempFile("turns", ".times"));
        try {
            String address = pair.start(turner, "serve", turner.name());
            String used = pair.start(
                    turner,
                    "call",
                    turner.name(),
                    address,
                    payload.name(),
                    pair.file.toString(),
                    Integer.toString(batch));
            pair.batch = used.isEmpty() ? CallTimes.BATCH : Integer.parseInt(used);
            return pair;
        } catch (IOException | RuntimeException e) {
            pair.close();
            throw e;
        }
    }

    private String start(Turner turner, String... words) throws IOException {
        ChildProcess process = ChildProcess.start(turner.withBuild(
                ChildProcess.jvm(List.of(Pair.flags().split(" ", -1)), TurnsProcess.class.getName(), List.of(words))));
        processes.add(process);
        return process.line(TurnsProcess.READY);
    }

    /** Resumes both processes. */
    public void resume() {
        processes.forEach(process -> ProcessSignals.resume(process.process()));
    }

    /** Stops both processes. */
    public void stop() {
        processes.forEach(process -> ProcessSignals.stop(process.process()));
    }

    /**
     * Runs both processes for one turn. Returns nanoseconds per call, or NaN if too few batches ended. Throws an
     * exception with the process's standard error if a process has ended.
     */
    public double turn(long millis) throws IOException, InterruptedException {
        long begun = System.nanoTime();
        resume();
        Thread.sleep(millis);
        long over = System.nanoTime();
        stop();
        for (ChildProcess process : processes) {
            if (!process.process().isAlive()) {
                throw process.failure("ended during its turn");
            }
        }
        return times.nanosOfABatch(begun + SETTLE_NANOS, over) / batch;
    }

    /** Ends both processes by force, because a stopped process ignores other signals. Any thread may call it. */
    public void destroy() {
        processes.forEach(process -> process.process().destroyForcibly());
    }

    @Override
    public void close() throws IOException {
        resume();
        for (ChildProcess process : processes.reversed()) {
            process.close();
        }
        arena.close();
        Files.deleteIfExists(file);
    }
}
