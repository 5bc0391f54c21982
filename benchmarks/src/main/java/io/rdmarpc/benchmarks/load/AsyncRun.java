package io.rdmarpc.benchmarks.load;

import io.rdmarpc.benchmarks.load.Contestant.Client;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Asynchronous calls. In a closed loop the end of a call starts the next one. In a paced run calls start by a schedule.
 * Their latency counts from the scheduled time, even if the client is late, which corrects for coordinated omission.
 */
final class AsyncRun implements Run, Pipeline.Ends {

    private static final long REST_NANOS = 200_000;

    /**
     * Time before a call is due in which the thread polls instead of sleeping, because a sleep may end this much too
     * late.
     */
    private static final long AWAKE_NANOS = 100_000;

    /** Number of overdue calls that start together, as in an event loop, before the client handles responses again. */
    private static final int LATE_CALLS_PER_DUTY_CYCLE = 16;

    private static final long LIMIT_NANOS = 30_000_000_000L;

    private final Cell cell;
    private final Pipeline pipeline;
    private final Histogram latencies;
    private final long[] startNanos;
    private final FreeSlots free;
    private volatile long stopNanos;
    private volatile @Nullable Throwable failure;

    AsyncRun(Client client, Cell cell) {
        this.cell = cell;
        this.free = new FreeSlots(cell.outstanding());
        this.startNanos = new long[cell.outstanding()];
        this.pipeline = client.pipeline(cell.payload(), cell.outstanding(), this);
        this.latencies = pipeline.isConcurrent()
                ? new ConcurrentHistogram(BenchmarkOutcome.MOST_NANOS, BenchmarkOutcome.DIGITS)
                : new Histogram(BenchmarkOutcome.MOST_NANOS, BenchmarkOutcome.DIGITS);
    }

    @Override
    public BenchmarkOutcome run(double seconds) throws Exception {
        long begun = System.nanoTime();
        start(seconds);
        awaitEnd();
        return BenchmarkOutcome.of(latencies, (System.nanoTime() - begun) / 1e9);
    }

    /** Starts the first calls of a closed loop, or all calls of a paced run. */
    void start(double seconds) throws Exception {
        long begun = System.nanoTime();
        stopNanos = begun + (long) (seconds * 1e9);
        if (cell.rate() > 0) {
            keepPace(begun);
        } else {
            startAll();
        }
    }

    /** Returns the latencies of the calls. Other threads may read it after {@link #awaitEnd}. */
    Histogram latencies() {
        return latencies;
    }

    boolean isCallerDriven() {
        return pipeline.isCallerDriven();
    }

    @Override
    public void close() {
        pipeline.close();
    }

    private void startAll() throws Exception {
        for (int slot = 0; slot < cell.outstanding(); slot++) {
            free.acquire(slot);
        }
        for (int slot = 0; slot < cell.outstanding(); slot++) {
            startNanos[slot] = System.nanoTime();
            pipeline.start(slot);
        }
    }

    private void keepPace(long begun) throws Exception {
        int late = 0;
        for (long number = 0; ; number++) {
            long due = begun + (long) (number * 1e9 / cell.rate());
            if (due - stopNanos >= 0) {
                return;
            }
            late++;
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                workOrRest(left - AWAKE_NANOS);
                late = 0;
            }
            int slot = awaitFree(late);
            startNanos[slot] = due;
            pipeline.start(slot);
        }
    }

    private int awaitFree(int late) throws Exception {
        if (pipeline.isCallerDriven() && late > 0 && late % LATE_CALLS_PER_DUTY_CYCLE == 0) {
            // A client that waits for the next call runs duty cycles meanwhile. A client that is late does not wait, so
            // it runs them here.
            pipeline.doWork();
        }
        int slot = free.acquire();
        while (slot < 0) {
            workOrRest(0);
            slot = free.acquire();
        }
        return slot;
    }

    /** Waits until all calls have ended. */
    void awaitEnd() throws Exception {
        while (!free.areAllFree()) {
            workOrRest(REST_NANOS);
            if (System.nanoTime() - stopNanos > LIMIT_NANOS) {
                throw new IllegalStateException(
                        "some calls had no response 30 s after the end of the run; the server may have ended");
            }
        }
    }

    /** Runs duty cycles of a pipeline that its caller drives. The condition must end, and is checked after each. */
    void driveWhile(BooleanSupplier condition) throws Exception {
        while (condition.getAsBoolean()) {
            pipeline.doWork();
        }
    }

    /** Runs a duty cycle, or sleeps for at most this time. A time of 0 or less only yields the CPU. */
    @SuppressWarnings("ThreadPriorityCheck") // the server may need this CPU
    private void workOrRest(long restNanos) throws Exception {
        if (failure != null) {
            throw new IllegalStateException("a call failed", failure);
        }
        if (pipeline.isCallerDriven()) {
            pipeline.doWork();
        } else if (restNanos > 0) {
            LockSupport.parkNanos(this, Math.min(restNanos, REST_NANOS));
        } else {
            Thread.yield();
        }
    }

    @Override
    public void ended(int slot) {
        long now = System.nanoTime();
        latencies.recordValue(Math.min(now - startNanos[slot], BenchmarkOutcome.MOST_NANOS));
        if (cell.rate() > 0 || now - stopNanos >= 0) {
            free.release(slot);
            return;
        }
        startNanos[slot] = now;
        try {
            pipeline.start(slot);
        } catch (Exception e) {
            failed(e);
        }
    }

    @Override
    public void failed(Throwable reason) {
        failure = reason;
    }
}
