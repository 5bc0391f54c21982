package io.rdmarpc.rpc.runtime;

import io.rdmarpc.concurrent.NanoClock;
import java.util.concurrent.TimeUnit;

/**
 * Yields the core of a thread that polls without finding work, and detects a contended core. After a yield, a thread of
 * another program keeps the core until its time slice of some milliseconds ends. Packets wait meanwhile. A sleeping
 * thread is woken by packets and needs no time slice to end. After a long yield the core therefore counts as contended
 * for a while.
 *
 * <pre>
 *   a yield took long                               contended for {@link #FIRST_NANOS}
 *   again within the same time after that           contended for twice as long, at most {@link #MAX_NANOS}
 * </pre>
 *
 * <p>Event loop's thread only.
 */
final class YieldBackoff {

    /**
     * A yield of this time is long: longer than the work of most threads that wait for this loop, shorter than a time
     * slice.
     */
    static final long LONG_NANOS = TimeUnit.MICROSECONDS.toNanos(700);

    /** First time of contention; a single long yield may be chance. */
    static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /**
     * Longest time of contention. With 16 calls in flight at 200,000 calls a second, less than one call of a thousand
     * then waits for a time slice.
     */
    static final long MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(640);

    private final NanoClock clock;
    private final Runnable yield;
    private boolean contended;
    private long contendedUntil;
    private long contendedNanos;

    YieldBackoff() {
        this(NanoClock.SYSTEM, Thread::yield);
    }

    YieldBackoff(NanoClock clock, Runnable yield) {
        this.clock = clock;
        this.yield = yield;
    }

    /** Yields the core. Returns true if another thread used it for long. */
    boolean relinquish() {
        long before = clock.nanoTime();
        yield.run();
        long now = clock.nanoTime();
        if (now - before < LONG_NANOS) {
            return false;
        }
        boolean again = contendedNanos != 0 && before - contendedUntil < contendedNanos;
        contendedNanos = again ? Math.min(2 * contendedNanos, MAX_NANOS) : FIRST_NANOS;
        contendedUntil = now + contendedNanos;
        contended = true;
        return true;
    }

    /** Returns whether the core counts as contended. */
    boolean isContended() {
        if (contended && clock.nanoTime() - contendedUntil >= 0) {
            contended = false;
        }
        return contended;
    }
}
