package io.rdmarpc.verbs.soft.shm;

import java.util.function.LongSupplier;

/**
 * When to look for packets by UDP. In each poll while there is traffic; else every 50 us, so that who waits for a packet in
 * memory pays no system call each time. By time, not by a count of polls, because an idle owner polls rarely. The clock
 * costs as much as an empty poll: it is looked at in each poll of one who polls rarely, in every sixteenth of one who polls
 * all the time, and once in a while when packets come.
 */
final class UdpTurns {

    private static final int QUIET_AFTER = 256;
    private static final int BUSY_POLLS_PER_LOOK = 32;
    private static final int MOST_POLLS_PER_LOOK = 16;
    private static final long INTERVAL_NANOS = 50_000;

    private final LongSupplier nanoClock;
    private int empty = QUIET_AFTER;
    private boolean woken;
    private int busyPolls;
    private int emptyPolls;
    private int pollsPerLook = 1;
    private long nowNanos;
    private long lastTurnNanos;

    UdpTurns(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        this.nowNanos = nanoClock.getAsLong();
        this.lastTurnNanos = nowNanos - INTERVAL_NANOS;
    }

    /** Tells whether to look now, after so many packets were found in memory. */
    boolean isDue(int found) {
        boolean firstAfterSleep = woken;
        woken = false;
        if (empty < QUIET_AFTER) {
            lookAtClockOnceInAWhile();
            // What has ended the sleep is handed over first; the bell that told of it can wait for the next poll.
            return found == 0 || !firstAfterSleep;
        }
        return isTimeForTheClock(found) && lookAtClock() - lastTurnNanos >= INTERVAL_NANOS;
    }

    private void lookAtClockOnceInAWhile() {
        if (++busyPolls >= BUSY_POLLS_PER_LOOK) {
            lookAtClock();
        }
    }

    private boolean isTimeForTheClock(int found) {
        return found > 0 ? ++busyPolls >= BUSY_POLLS_PER_LOOK : ++emptyPolls >= pollsPerLook;
    }

    private long lookAtClock() {
        busyPolls = 0;
        emptyPolls = 0;
        long now = nanoClock.getAsLong();
        pollsPerLook = now - nowNanos < INTERVAL_NANOS / 4 ? Math.min(2 * pollsPerLook, MOST_POLLS_PER_LOOK) : 1;
        nowNanos = now;
        return now;
    }

    void looked(int found) {
        empty = found > 0 ? 0 : Math.min(empty + 1, QUIET_AFTER);
        lastTurnNanos = nowNanos;
    }

    /** Looks in the next polls, after a sleep: something may have come. */
    void wake() {
        woken = true;
        nowNanos = nanoClock.getAsLong();
        empty = QUIET_AFTER - 2;
    }

    /** Returns a time that is not older than the interval and some polls. */
    long nowNanos() {
        return nowNanos;
    }
}
