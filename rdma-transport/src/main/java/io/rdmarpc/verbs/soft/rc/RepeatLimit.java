package io.rdmarpc.verbs.soft.rc;

/**
 * Limits duplicate READs whose memory must not be read. A late duplicate is dropped, because its memory may have been
 * freed after the first response. Without a limit a peer could guess keys by duplicates without losing its connection.
 */
public final class RepeatLimit {

    /** Maximum per period. A peer repeats a request at most seven times, and has few requests outstanding. */
    public static final int MAX_PER_PERIOD = 256;

    public static final long PERIOD_NANOS = 60_000_000_000L;

    private long periodStart;
    private int count;

    /** Counts a duplicate; false if there were too many within a minute. */
    boolean allows(long now) {
        if (count == 0 || now - periodStart >= PERIOD_NANOS) {
            periodStart = now;
            count = 0;
        }
        count++;
        return count <= MAX_PER_PERIOD;
    }

    void reset() {
        count = 0;
    }
}
