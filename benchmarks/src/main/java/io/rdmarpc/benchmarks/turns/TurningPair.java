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

/** A server, and a client that calls it all the time. Both are stopped outside of their turns. */
public final class TurningPair implements AutoCloseable {

    /** Not counted at the beginning of a turn: the caches hold what other processes have used. */
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
     * Starts both processes, which takes seconds. They run until {@link #stop}, and the caller closes them. A batch is the number of calls
     * between two readings of the clock; builds before this argument ignore it.
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

    /** Resumes both. */
    public void resume() {
        processes.forEach(process -> ProcessSignals.resume(process.process()));
    }

    /** Stops both. */
    public void stop() {
        processes.forEach(process -> ProcessSignals.stop(process.process()));
    }

    /**
     * Lets both run for a turn. Returns nanoseconds of a call, not a number if too few batches have ended. Throws if one of the two has
     * ended, with its standard error.
     */
    public double turn(long millis) throws IOException, InterruptedException {
        long begun = System.nanoTime();
        resume();
        Thread.sleep(millis);
        long over = System.nanoTime();
        stop();
        for (ChildProcess process : processes) {
            if (!process.process().isAlive()) {
                throw process.failure("has ended");
            }
        }
        return times.nanosOfABatch(begun + SETTLE_NANOS, over) / batch;
    }

    /** Ends both by force. A stopped process ends by nothing else. Any thread. */
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
