package io.rdmarpc.verbs.soft.rc;

/**
 * Limits repeated READs whose memory may not be read. A late one is dropped, because its memory may be gone since the first one was
 * answered. Without a limit a peer could guess keys that way without losing its connection.
 */
public final class RepeatLimit {

    /** A peer repeats a request seven times at most, and has a few requests outstanding. */
    public static final int MOST_PER_PERIOD = 256;

    public static final long PERIOD_NANOS = 60_000_000_000L;

    private long periodStart;
    private int count;

    /** Counts one; false if there were too many within a minute. */
    boolean allows(long now) {
        if (count == 0 || now - periodStart >= PERIOD_NANOS) {
            periodStart = now;
            count = 0;
        }
        count++;
        return count <= MOST_PER_PERIOD;
    }

    void reset() {
        count = 0;
    }
}
