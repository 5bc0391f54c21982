package io.rdmarpc.verbs.soft.shm;

import java.util.function.LongSupplier;

/**
 * When to look for packets by UDP. In each poll while there is traffic; else every 50 us, so that who waits for a packet in
 * memory pays no system call each time. By time, not by a count of polls, because an idle owner polls rarely; the clock is
 * looked at when nothing has come, and once in a while.
 */
final class UdpTurns {

    private static final int QUIET_AFTER = 256;
    private static final int BUSY_POLLS_PER_LOOK = 32;
    private static final long INTERVAL_NANOS = 50_000;

    private final LongSupplier nanoClock;
    private int empty = QUIET_AFTER;
    private int busyPolls;
    private long nowNanos;
    private long lastTurnNanos;

    UdpTurns(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        this.nowNanos = nanoClock.getAsLong();
        this.lastTurnNanos = nowNanos - INTERVAL_NANOS;
    }

    /** Tells whether to look now, after so many packets were found in memory. */
    boolean isDue(int found) {
        if (empty < QUIET_AFTER) {
            lookAtClockOnceInAWhile();
            return true;
        }
        if (found > 0 && ++busyPolls < BUSY_POLLS_PER_LOOK) {
            return false;
        }
        busyPolls = 0;
        nowNanos = nanoClock.getAsLong();
        return nowNanos - lastTurnNanos >= INTERVAL_NANOS;
    }

    private void lookAtClockOnceInAWhile() {
        if (++busyPolls >= BUSY_POLLS_PER_LOOK) {
            busyPolls = 0;
            nowNanos = nanoClock.getAsLong();
        }
    }

    void looked(int found) {
        empty = found > 0 ? 0 : Math.min(empty + 1, QUIET_AFTER);
        lastTurnNanos = nowNanos;
    }

    /** Looks in the next polls, after a sleep: something may have come. */
    void wake() {
        nowNanos = nanoClock.getAsLong();
        empty = QUIET_AFTER - 2;
    }

    /** Returns a time that is not older than the interval and some polls. */
    long nowNanos() {
        return nowNanos;
    }
}
