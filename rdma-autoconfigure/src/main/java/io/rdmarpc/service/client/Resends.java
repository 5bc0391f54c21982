package io.rdmarpc.service.client;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Pauses before a call that the server did not run is sent again. The first resend is immediate, because another
 * instance or a restarted server may be available. Later pauses double, so that clients do not call a server that
 * rejects calls in a tight loop.
 */
final class Resends {

    private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    /** The maximum pause is 64 ms. */
    private static final int MAX_DOUBLINGS = 6;

    private Resends() {}

    /** Returns the pause after a number of resends. It varies by half. */
    static long pauseNanos(int before) {
        if (before == 0) {
            return 0;
        }
        long nanos = FIRST_NANOS << Math.min(before - 1, MAX_DOUBLINGS);
        return nanos / 2 + ThreadLocalRandom.current().nextLong(nanos + 1);
    }
}
