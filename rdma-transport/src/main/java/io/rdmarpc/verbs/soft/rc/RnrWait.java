package io.rdmarpc.verbs.soft.rc;

import io.rdmarpc.verbs.soft.wire.RnrTimer;

/**
 * How long a requester waits because the peer has no receive posted, and how often (InfiniBand Architecture Specification
 * vol. 1, 9.7.5.2.8 and 9.7.6.1.3). The limit counts rejections in a row; 7 is no limit.
 */
final class RnrWait {

    private static final int NO_LIMIT = 7;

    private int limit;
    private int rejections;
    private boolean waiting;
    private long untilNanos;

    void configure(int rnrRetry) {
        limit = rnrRetry;
        reset();
    }

    /** Counts a rejection and starts to wait; false when no more are allowed. */
    boolean begin(int timerCode, long now) {
        if (limit != NO_LIMIT && rejections++ >= limit) {
            return false;
        }
        waiting = true;
        untilNanos = now + RnrTimer.nanos(timerCode);
        return true;
    }

    boolean isWaiting() {
        return waiting;
    }

    long untilNanos() {
        return untilNanos;
    }

    /** Looks at the clock; true when the time is over. */
    boolean ends(long now) {
        if (now - untilNanos < 0) {
            return false;
        }
        waiting = false;
        return true;
    }

    /** The peer has taken what it refused: there is nothing to wait for, also when an old rejection came late. */
    void reset() {
        rejections = 0;
        waiting = false;
    }
}
