package io.rdmarpc.verbs.soft.shm;

import java.util.function.LongSupplier;

/**
 * Decides when to poll the UDP socket: in each poll while there is traffic, otherwise every 50 µs. So a thread that
 * waits for packets in memory does not make a system call each time. It uses time instead of a count of polls, because
 * an idle owner polls rarely. A clock read costs as much as an empty poll. So a rarely polling thread reads the clock
 * in each poll, and a busy one in every sixteenth. While there is traffic, the thread reads the clock in every 32nd
 * poll.
 */
final class UdpPollSchedule {

    private static final int QUIET_AFTER = 256;
    private static final int BUSY_POLLS_PER_CLOCK_READ = 32;
    private static final int MAX_POLLS_PER_CLOCK_READ = 16;
    private static final long INTERVAL_NANOS = 50_000;

    private final LongSupplier nanoClock;
    private int empty = QUIET_AFTER;
    private boolean woken;
    private int busyPolls;
    private int emptyPolls;
    private int pollsPerClockRead = 1;
    private long nowNanos;
    private long lastPollNanos;

    UdpPollSchedule(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        this.nowNanos = nanoClock.getAsLong();
        this.lastPollNanos = nowNanos - INTERVAL_NANOS;
    }

    /** Returns whether to poll the socket now, given the number of packets that were found in memory. */
    boolean isDue(int found) {
        boolean firstAfterSleep = woken;
        woken = false;
        if (empty < QUIET_AFTER) {
            countBusyPoll();
            // The packets that ended the sleep are handled first; the datagram that woke the thread is read in the next
            // poll.
            return found == 0 || !firstAfterSleep;
        }
        return isClockReadDue(found) && readClock() - lastPollNanos >= INTERVAL_NANOS;
    }

    private void countBusyPoll() {
        if (++busyPolls >= BUSY_POLLS_PER_CLOCK_READ) {
            readClock();
        }
    }

    private boolean isClockReadDue(int found) {
        return found > 0 ? ++busyPolls >= BUSY_POLLS_PER_CLOCK_READ : ++emptyPolls >= pollsPerClockRead;
    }

    private long readClock() {
        busyPolls = 0;
        emptyPolls = 0;
        long now = nanoClock.getAsLong();
        pollsPerClockRead =
                now - nowNanos < INTERVAL_NANOS / 4 ? Math.min(2 * pollsPerClockRead, MAX_POLLS_PER_CLOCK_READ) : 1;
        nowNanos = now;
        return now;
    }

    void onPolled(int found) {
        empty = found > 0 ? 0 : Math.min(empty + 1, QUIET_AFTER);
        lastPollNanos = nowNanos;
    }

    /** Makes the next polls read the socket, because packets may have arrived during a sleep. */
    void wake() {
        woken = true;
        nowNanos = nanoClock.getAsLong();
        empty = QUIET_AFTER - 2;
    }

    /** Returns a recent time, which is older than now by at most the interval and some polls. */
    long nowNanos() {
        return nowNanos;
    }
}
