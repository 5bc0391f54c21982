package io.rdmarpc.rpc.runtime;

import io.rdmarpc.concurrent.NanoClock;
import java.util.concurrent.TimeUnit;

/**
 * Offers the core of a thread that polls for nothing to others, and notices when one takes it that means to stay: a program
 * that computes keeps a core until its time slice ends, some milliseconds, and what comes meanwhile waits. Who sleeps
 * instead is woken by what comes and needs no slice to end, so for a while nothing is offered.
 *
 * <pre>
 *   an offer is taken for long                      none for {@link #FIRST_NANOS}
 *   again within as long after that                 none for twice as long, at most {@link #LONGEST_NANOS}
 * </pre>
 *
 * <p>The loop's thread only.
 */
final class YieldBackoff {

    /** Longer than most threads work that wait for this loop, shorter than a time slice. */
    static final long LONG_NANOS = TimeUnit.MICROSECONDS.toNanos(700);

    /** One late offer may be chance. */
    static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** With 16 of 200,000 calls a second under way, those that wait for a time slice are then fewer than one of a thousand. */
    static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(640);

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

    /** Lets others run. True when one of them ran for long. */
    boolean relinquish() {
        long before = clock.nanoTime();
        yield.run();
        long now = clock.nanoTime();
        if (now - before < LONG_NANOS) {
            return false;
        }
        boolean again = contendedNanos != 0 && before - contendedUntil < contendedNanos;
        contendedNanos = again ? Math.min(2 * contendedNanos, LONGEST_NANOS) : FIRST_NANOS;
        contendedUntil = now + contendedNanos;
        contended = true;
        return true;
    }

    /** Tells whether somebody wants this core for long, as far as is known. */
    boolean isContended() {
        if (contended && clock.nanoTime() - contendedUntil >= 0) {
            contended = false;
        }
        return contended;
    }
}
