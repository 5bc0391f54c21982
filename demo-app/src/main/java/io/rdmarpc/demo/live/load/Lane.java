package io.rdmarpc.demo.live.load;

import io.rdmarpc.demo.OrderService;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/**
 * One transport: its callers enter through the turnstile and record the latency of their calls. Any thread may call the
 * methods for callers; only the thread of {@code LoadRunner} may call the others.
 */
public final class Lane {

    static final int RECENT_INTERVALS = 10;

    private static final long SHORTEST_NANOS = 100;
    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int DIGITS = 3;

    private final String name;
    private final LongSupplier bytes;
    private final Turnstile turnstile = new Turnstile();
    private final Recorder recorder = new Recorder(SHORTEST_NANOS, LONGEST_NANOS, DIGITS);
    private final LongAdder failures = new LongAdder();
    private final AtomicLong numbers = new AtomicLong();
    private final Deque<Histogram> recent = new ArrayDeque<>();
    private final Deque<Work> recentWork = new ArrayDeque<>();
    private volatile @Nullable String lastFailure;
    private volatile @Nullable OrderService desk;

    private long intervalNanos;
    private long intervalCpuNanos;
    private long intervalBytes;
    private long bytesBefore;
    private boolean aloneInInterval;
    private long totalCalls;
    private long failuresBefore;

    /**
     * What the lane did while it was open.
     *
     * @param alone whether no other lane was open, so that the CPU time is its own
     */
    private record Work(long calls, long nanos, long cpuNanos, long bytes, boolean alone) {

        static final Work NONE = new Work(0, 0, 0, 0, true);

        Work plus(Work other) {
            return new Work(
                    calls + other.calls,
                    nanos + other.nanos,
                    cpuNanos + other.cpuNanos,
                    bytes + other.bytes,
                    alone && other.alone);
        }

        double perSecond() {
            return nanos == 0 ? 0 : calls * 1e9 / nanos;
        }
    }

    /**
     * Creates a lane.
     *
     * @param name name of the transport on the page
     * @param bytes supplies the total number of bytes sent and received
     */
    public Lane(String name, LongSupplier bytes) {
        this.name = name;
        this.bytes = bytes;
    }

    public String name() {
        return name;
    }

    /** Sets the service to call from now on, or null if there is none. */
    public void use(@Nullable OrderService service) {
        desk = service;
    }

    /** Returns whether there is a service to call. */
    public boolean isConnected() {
        return desk != null;
    }

    @Nullable
    OrderService desk() {
        return desk;
    }

    public Turnstile turnstile() {
        return turnstile;
    }

    long nextNumber() {
        return numbers.getAndIncrement();
    }

    void succeeded(long startNanos) {
        recorder.recordValue(Math.min(LONGEST_NANOS, System.nanoTime() - startNanos));
    }

    void failed(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        failures.increment();
        lastFailure = String.valueOf(cause.getMessage());
    }

    public void open() {
        bytesBefore = bytes.getAsLong();
        turnstile.open();
    }

    /** Closes the turnstile and waits for the callers inside. */
    public void close(Duration limit) {
        turnstile.close();
        turnstile.awaitEmpty(limit);
        intervalBytes += Math.max(0, bytes.getAsLong() - bytesBefore);
    }

    /** Adds a period in which the lane was open. */
    public void worked(long nanos, long cpuNanos, boolean alone) {
        intervalNanos += nanos;
        intervalCpuNanos += cpuNanos;
        aloneInInterval = alone;
    }

    /** Ends the interval and returns its results. */
    public LaneView view() {
        Histogram recycled = recent.size() < RECENT_INTERVALS ? null : recent.removeFirst();
        Histogram interval =
                recycled == null ? recorder.getIntervalHistogram() : recorder.getIntervalHistogram(recycled);
        recent.addLast(interval);
        Histogram all = new Histogram(SHORTEST_NANOS, LONGEST_NANOS, DIGITS);
        recent.forEach(all::add);
        Work now = new Work(
                interval.getTotalCount(),
                intervalNanos,
                intervalCpuNanos,
                intervalBytes,
                aloneInInterval || intervalNanos == 0);
        if (recentWork.size() == RECENT_INTERVALS) {
            recentWork.removeFirst();
        }
        recentWork.addLast(now);
        LaneView view = viewOf(interval, all, now, recentWork.stream().reduce(Work.NONE, Work::plus));
        intervalNanos = 0;
        intervalCpuNanos = 0;
        intervalBytes = 0;
        return view;
    }

    private LaneView viewOf(Histogram interval, Histogram all, Work now, Work work) {
        totalCalls += now.calls();
        long failedAll = failures.sum();
        long failed = failedAll - failuresBefore;
        failuresBefore = failedAll;
        return new LaneView(
                name,
                totalCalls,
                failedAll,
                failed == 0 ? null : lastFailure,
                work.perSecond(),
                now.perSecond(),
                Percentiles.of(interval),
                Percentiles.of(all),
                LatencyScale.counts(all),
                work.alone() && work.calls() > 0 ? work.cpuNanos() / 1000.0 / work.calls() : null,
                now.alone() && now.nanos() > 0 ? (double) now.cpuNanos() / now.nanos() : null,
                work.calls() == 0 ? null : (double) work.bytes() / work.calls());
    }

    /** Discards all measurements, because the settings have changed. */
    public void reset() {
        recorder.reset();
        recent.clear();
        recentWork.clear();
        totalCalls = 0;
        failures.reset();
        failuresBefore = 0;
        lastFailure = null;
        aloneInInterval = false;
    }
}
