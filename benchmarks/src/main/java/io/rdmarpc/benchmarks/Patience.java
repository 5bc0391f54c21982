package io.rdmarpc.benchmarks;

import java.time.Duration;

/** Lets a thread poll without a pause, but not for ever. One thread. */
public final class Patience {

    private static final long LIMIT_NANOS = Duration.ofSeconds(60).toNanos();
    private static final int POLLS_PER_LOOK_AT_THE_CLOCK = 1 << 16;

    private final String awaited;
    private int polls;
    private long since;

    /**
     * Makes the patience of one thread.
     *
     * @param awaited what it polls for, for the message
     */
    public Patience(String awaited) {
        this.awaited = awaited;
    }

    /** What was awaited has come; the time starts anew. */
    public void reset() {
        polls = 0;
    }

    /** To be called for each poll that found nothing. Throws after 60 s. */
    public void spent() {
        if (++polls % POLLS_PER_LOOK_AT_THE_CLOCK == 0) {
            lookAtTheClock();
        }
    }

    private void lookAtTheClock() {
        long now = System.nanoTime();
        if (polls == POLLS_PER_LOOK_AT_THE_CLOCK) {
            since = now;
        } else if (now - since > LIMIT_NANOS) {
            throw new IllegalStateException("no " + awaited + " for 60 s: a datagram was lost, or the peer has ended");
        }
    }
}
