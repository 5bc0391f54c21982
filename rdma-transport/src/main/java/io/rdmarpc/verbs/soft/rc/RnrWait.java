package io.rdmarpc.verbs.soft.rc;

import io.rdmarpc.verbs.soft.wire.RnrTimer;

/**
 * How long a requester waits because the peer has no receive posted, and how often (InfiniBand Architecture
 * Specification vol. 1, 9.7.5.2.8 and 9.7.6.1.3). The limit counts RNR NAKs in a row; 7 means no limit.
 */
final class RnrWait {

    private static final int NO_LIMIT = 7;

    private int limit;
    private int naks;
    private boolean waiting;
    private long untilNanos;

    void configure(int rnrRetry) {
        limit = rnrRetry;
        reset();
    }

    /** Counts an RNR NAK and starts to wait; false if no more are allowed. */
    boolean begin(int timerCode, long now) {
        if (limit != NO_LIMIT && naks++ >= limit) {
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

    /** Returns whether the time of the wait has passed, and then ends the wait. */
    boolean ends(long now) {
        if (now - untilNanos < 0) {
            return false;
        }
        waiting = false;
        return true;
    }

    /** Ends the wait after progress of the peer, also if an old NAK arrived late. */
    void reset() {
        naks = 0;
        waiting = false;
    }
}
