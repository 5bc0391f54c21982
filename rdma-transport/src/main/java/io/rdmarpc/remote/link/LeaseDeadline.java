package io.rdmarpc.remote.link;

import io.rdmarpc.concurrent.NanoClock;
import java.util.ArrayList;
import java.util.List;

/**
 * The end of a lease by the holder's clock, never later than at its owner. The lease of the owner starts with its
 * response, and that of the holder before its request. A renewal that shortens the lease applies from its request on,
 * because the owner may agree long before its response arrives. Any thread.
 *
 * <p>This class does not compensate for different clock rates of two hosts; for these the owner adds its grace period.
 * The owner may also revoke the memory before the end.
 */
final class LeaseDeadline {

    private final NanoClock clock;
    private final boolean holderDecides;

    // Guarded by this.
    private final List<Long> requested = new ArrayList<>();
    private long agreedNanos;

    private volatile long nanos;

    /**
     * Creates the deadline.
     *
     * @param clock the clock of the holder
     * @param holderDecides whether a renewal changes the lease; the owner decides the lease of a grant
     * @param nanos the end of the lease by that clock
     */
    LeaseDeadline(NanoClock clock, boolean holderDecides, long nanos) {
        this.clock = clock;
        this.holderDecides = holderDecides;
        this.agreedNanos = nanos;
        this.nanos = nanos;
    }

    /** Returns the end of the lease by the holder's clock. */
    long nanos() {
        return nanos;
    }

    /** Returns the remaining time in nanoseconds, 0 or less after the end. */
    long remainingNanos() {
        return nanos - clock.nanoTime();
    }

    /**
     * Starts a renewal before its request is sent. The caller completes it with {@link Renewal#agreed} or
     * {@link Renewal#failed}.
     */
    synchronized Renewal beginRenewal(long leaseNanos) {
        Renewal renewal = new Renewal(clock.nanoTime(), leaseNanos);
        if (holderDecides) {
            requested.add(renewal.endNanos);
            update();
        }
        return renewal;
    }

    private synchronized void end(Renewal renewal, long newNanos) {
        requested.remove(renewal.endNanos);
        agreedNanos = newNanos;
        update();
    }

    /** Compares by difference, because the clock may overflow. */
    private void update() {
        long first = agreedNanos;
        for (long each : requested) {
            first = each - first < 0 ? each : first;
        }
        nanos = first;
    }

    private synchronized long firstOfAgreed(long other) {
        return holderDecides && other - agreedNanos < 0 ? other : agreedNanos;
    }

    /** A renewal whose response has not arrived. */
    final class Renewal {

        private final long requestedAtNanos;
        private final Long endNanos;

        private Renewal(long requestedAtNanos, long leaseNanos) {
            this.requestedAtNanos = requestedAtNanos;
            this.endNanos = requestedAtNanos + leaseNanos;
        }

        /** Completes the renewal with the duration of the owner's response. */
        void agreed(long leaseNanos) {
            end(this, requestedAtNanos + leaseNanos);
        }

        /** Completes the renewal without a response. The owner may have agreed, so the earlier end applies. */
        void failed() {
            end(this, firstOfAgreed(endNanos));
        }
    }
}
