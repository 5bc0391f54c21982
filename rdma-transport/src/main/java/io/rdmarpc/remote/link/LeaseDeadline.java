package io.rdmarpc.remote.link;

import io.rdmarpc.concurrent.NanoClock;
import java.util.ArrayList;
import java.util.List;

/**
 * When a lease ends by the holder's clock: never later than at its owner. The owner counts from its answer, the holder from before its
 * request. A shorter lease counts from the request on, since the owner may have agreed long before its answer arrives. Any thread.
 *
 * <p>Two things are outside of this: clocks of two hosts that run at different rates, for which the owner adds its grace, and an owner
 * that takes the memory back before the end.
 */
final class LeaseDeadline {

    private final NanoClock clock;
    private final boolean holderDecides;

    // Guarded by this.
    private final List<Long> asked = new ArrayList<>();
    private long agreedNanos;

    private volatile long nanos;

    /**
     * Begins.
     *
     * @param clock the holder's
     * @param holderDecides whether a renewal changes the lease; that of a grant is its owner's
     * @param nanos when it ends by that clock
     */
    LeaseDeadline(NanoClock clock, boolean holderDecides, long nanos) {
        this.clock = clock;
        this.holderDecides = holderDecides;
        this.agreedNanos = nanos;
        this.nanos = nanos;
    }

    /** Returns when the lease ends, in the time of the clock. */
    long nanos() {
        return nanos;
    }

    /** Returns how long it goes on, 0 or less when it is over. */
    long remainingNanos() {
        return nanos - clock.nanoTime();
    }

    /** Begins a renewal, before the request goes out; it ends in one of two ways. */
    synchronized Renewal beginRenewal(long leaseNanos) {
        Renewal renewal = new Renewal(clock.nanoTime(), leaseNanos);
        if (holderDecides) {
            asked.add(renewal.endNanos);
            update();
        }
        return renewal;
    }

    private synchronized void end(Renewal renewal, long newNanos) {
        asked.remove(renewal.endNanos);
        agreedNanos = newNanos;
        update();
    }

    /** Differences only: the clock may pass the largest number. */
    private void update() {
        long first = agreedNanos;
        for (long each : asked) {
            first = each - first < 0 ? each : first;
        }
        nanos = first;
    }

    private synchronized long firstOfAgreed(long other) {
        return holderDecides && other - agreedNanos < 0 ? other : agreedNanos;
    }

    /** A renewal whose answer has not come. */
    final class Renewal {

        private final long askedAtNanos;
        private final Long endNanos;

        private Renewal(long askedAtNanos, long leaseNanos) {
            this.askedAtNanos = askedAtNanos;
            this.endNanos = askedAtNanos + leaseNanos;
        }

        /** Ends with the owner's answer. */
        void agreed(long leaseNanos) {
            end(this, askedAtNanos + leaseNanos);
        }

        /** Ends without one: the owner may have agreed. */
        void failed() {
            end(this, firstOfAgreed(endNanos));
        }
    }
}
