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
 * One transport: its callers come in by the turnstile and note how long their calls took. Callers: any thread; the rest:
 * the thread of {@code LoadRunner}.
 */
public final class Lane {

    static final int RECENT_TURNS = 10;

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
    private volatile @Nullable String lastFailure;
    private volatile @Nullable OrderService desk;

    private long turnNanos;
    private long turnCpuNanos;
    private long turnBytes;
    private long bytesBefore;
    private boolean aloneInTurn;
    private long totalCalls;
    private long failuresBefore;

    /**
     * Creates a lane.
     *
     * @param name how the page calls it
     * @param bytes counts what was sent and received
     */
    public Lane(String name, LongSupplier bytes) {
        this.name = name;
        this.bytes = bytes;
    }

    public String name() {
        return name;
    }

    /** Whom to call from now on, null when there is nobody. */
    public void use(@Nullable OrderService service) {
        desk = service;
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

    void answered(long startNanos) {
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

    /** Lets nobody in any more and waits for those inside. */
    public void close(Duration limit) {
        turnstile.close();
        turnstile.awaitEmpty(limit);
        turnBytes += Math.max(0, bytes.getAsLong() - bytesBefore);
    }

    /** A time in which it was open has passed. */
    public void worked(long nanos, long cpuNanos, boolean alone) {
        turnNanos += nanos;
        turnCpuNanos += cpuNanos;
        aloneInTurn = alone;
    }

    /** Ends the turn: what happened since the last one. */
    public LaneView view() {
        Histogram recycled = recent.size() < RECENT_TURNS ? null : recent.removeFirst();
        Histogram turn = recycled == null ? recorder.getIntervalHistogram() : recorder.getIntervalHistogram(recycled);
        recent.addLast(turn);
        Histogram all = new Histogram(SHORTEST_NANOS, LONGEST_NANOS, DIGITS);
        recent.forEach(all::add);
        LaneView view = viewOf(turn, all);
        turnNanos = 0;
        turnCpuNanos = 0;
        turnBytes = 0;
        return view;
    }

    private LaneView viewOf(Histogram turn, Histogram all) {
        long calls = turn.getTotalCount();
        totalCalls += calls;
        long failedAll = failures.sum();
        long failed = failedAll - failuresBefore;
        failuresBefore = failedAll;
        boolean cpuKnown = aloneInTurn && calls > 0;
        return new LaneView(
                name,
                totalCalls,
                failedAll,
                failed == 0 ? null : lastFailure,
                turnNanos == 0 ? 0 : calls * 1e9 / turnNanos,
                Percentiles.of(turn),
                Percentiles.of(all),
                LatencyScale.counts(all),
                cpuKnown ? turnCpuNanos / 1000.0 / calls : null,
                aloneInTurn && turnNanos > 0 ? (double) turnCpuNanos / turnNanos : null,
                calls == 0 ? null : (double) turnBytes / calls);
    }

    /** Forgets what was measured: something was changed. */
    public void reset() {
        recorder.reset();
        recent.clear();
        totalCalls = 0;
        failures.reset();
        failuresBefore = 0;
        lastFailure = null;
        aloneInTurn = false;
    }
}
