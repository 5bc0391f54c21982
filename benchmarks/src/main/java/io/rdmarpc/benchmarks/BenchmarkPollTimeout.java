package io.rdmarpc.benchmarks;

import java.time.Duration;

/**
 * Throws an exception in a thread that polls without a pause, if its polls find nothing for 60 s. Not thread-safe: one
 * thread uses it.
 */
public final class BenchmarkPollTimeout {

    private static final long LIMIT_NANOS = Duration.ofSeconds(60).toNanos();
    private static final int POLLS_PER_CLOCK_READING = 1 << 16;

    private final String awaited;
    private int polls;
    private long since;

    /**
     * Creates the timeout of one thread.
     *
     * @param awaited the event that the thread polls for, as the exception message names it
     */
    public BenchmarkPollTimeout(String awaited) {
        this.awaited = awaited;
    }

    /** Restarts the timeout after the awaited event has arrived. */
    public void reset() {
        polls = 0;
    }

    /**
     * Counts a poll that found nothing.
     *
     * @throws IllegalStateException if polls have found nothing for 60 s
     */
    public void check() {
        if (++polls % POLLS_PER_CLOCK_READING == 0) {
            checkClock();
        }
    }

    private void checkClock() {
        long now = System.nanoTime();
        if (polls == POLLS_PER_CLOCK_READING) {
            since = now;
        } else if (now - since > LIMIT_NANOS) {
            throw new IllegalStateException(
                    "no " + awaited + " for 60 s: a datagram was lost, or the peer ended; see the peer's output");
        }
    }
}
