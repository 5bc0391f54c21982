package io.rdmarpc.verbs.soft.shm;

import org.jspecify.annotations.Nullable;

/** What is known about a destination: the ring that leads there, or that there is none and when to look again. */
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

    /** Returns the ring to use, or null when packets go by UDP. */
    @Nullable
    OutboundRing ring() {
        return ring;
    }

    /** Returns which of the receiver's addresses it is. */
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

    /** Tells whether to look for the peer now; with each time that nobody was there less often. */
    boolean isTimeToLook(long now) {
        if (pauseNanos > 0 && now - pausedSinceNanos < pauseNanos) {
            return false;
        }
        pausedSinceNanos = now;
        pauseNanos = Math.clamp(pauseNanos * 2, FIRST_PAUSE_NANOS, LONGEST_PAUSE_NANOS);
        return true;
    }
}
