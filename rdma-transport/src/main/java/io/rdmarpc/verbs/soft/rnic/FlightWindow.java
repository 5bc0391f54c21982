package io.rdmarpc.verbs.soft.rnic;

import io.rdmarpc.verbs.attributes.PathMtu;

/**
 * Limits the bytes in flight in one direction, for all queue pairs together: READ responses to this RNIC, or SENDs and
 * WRITEs from it. The limit is what the link can buffer, up to 1 MiB. With more bytes in flight, a few large messages
 * would make the kernel drop packets. A peer is assumed to buffer as much as this end. One queue pair may use half of
 * the limit, so that an unresponsive peer does not block all others.
 */
public final class FlightWindow {

    private static final int LARGEST = 1 << 20;
    private static final int SMALLEST = 16 << 10;
    private static final int LARGEST_REQUEST = 64 << 10;

    /** Maximum number of unacknowledged packets of one queue pair; a power of two. */
    public static final int MAX_PACKETS = LARGEST / 2 / PathMtu.MTU_256.bytes();

    private final int limitBytes;
    private int usedBytes;

    FlightWindow(int linkBytes) {
        this.limitBytes = Math.clamp(linkBytes, SMALLEST, LARGEST);
    }

    /** Returns the bytes of one READ request; several requests fit into the window, so that it stays filled. */
    public int requestBytes() {
        return Math.min(LARGEST_REQUEST, Integer.highestOneBit(limitBytes) / 4);
    }

    /** Returns the maximum bytes in flight of one queue pair. */
    public int shareBytes() {
        return limitBytes / 2;
    }

    /** Reserves bytes; false if the window is full. */
    public boolean reserve(int bytes) {
        if (usedBytes + bytes > limitBytes) {
            return false;
        }
        usedBytes += bytes;
        return true;
    }

    /** Releases reserved bytes. */
    public void release(int bytes) {
        usedBytes -= bytes;
    }

    public int usedBytes() {
        return usedBytes;
    }
}
