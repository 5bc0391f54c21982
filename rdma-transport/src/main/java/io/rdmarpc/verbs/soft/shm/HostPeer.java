package io.rdmarpc.verbs.soft.shm;

import org.jspecify.annotations.Nullable;

/** The state of a destination: the ring to it, or the time of the next look-up if there is none. */
final class HostPeer {

    private static final long FIRST_PAUSE_NANOS = 10_000_000;
    private static final long LONGEST_PAUSE_NANOS = 1_000_000_000;

    private final OutboundRings owner;
    private @Nullable OutboundRing ring;
    private int target;
    private long pauseNanos;
    private long pausedSinceNanos;

    HostPeer(OutboundRings owner) {
        this.owner = owner;
    }

    OutboundRings owner() {
        return owner;
    }

    /** Returns the ring to use, or null if packets are sent over UDP. */
    @Nullable
    OutboundRing ring() {
        return ring;
    }

    /** Returns the index of the destination in the receiver's addresses. */
    int target() {
        return target;
    }

    void connect(OutboundRing found, int addressIndex) {
        ring = found;
        target = addressIndex;
        pauseNanos = 0;
    }

    void disconnect() {
        ring = null;
    }

    /** Returns whether to look for the peer now; the interval doubles with each call that returns true. */
    boolean isTimeToLook(long now) {
        if (pauseNanos > 0 && now - pausedSinceNanos < pauseNanos) {
            return false;
        }
        pausedSinceNanos = now;
        pauseNanos = Math.clamp(pauseNanos * 2, FIRST_PAUSE_NANOS, LONGEST_PAUSE_NANOS);
        return true;
    }
}
