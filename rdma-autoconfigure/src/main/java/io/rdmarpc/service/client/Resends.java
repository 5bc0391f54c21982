package io.rdmarpc.service.client;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Pauses before a call is sent again that was not run. There is none before the first time, for another instance or the
 * successor may be there. Then they double, so that a server which refuses everything is not asked in a tight loop.
 */
final class Resends {

    private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    /** 64 ms. */
    private static final int MOST_DOUBLINGS = 6;

    private Resends() {}

    /** The pause after so many calls that were sent again; it varies by a half. */
    static long pauseNanos(int before) {
        if (before == 0) {
            return 0;
        }
        long nanos = FIRST_NANOS << Math.min(before - 1, MOST_DOUBLINGS);
        return nanos / 2 + ThreadLocalRandom.current().nextLong(nanos + 1);
    }
}
