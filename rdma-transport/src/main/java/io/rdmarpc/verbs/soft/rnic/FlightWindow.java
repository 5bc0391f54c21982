package io.rdmarpc.verbs.soft.rnic;

import io.rdmarpc.verbs.attributes.PathMtu;

/**
 * How many bytes of one direction may be on their way, all queue pairs together: READ responses to this RNIC, or SENDs and
 * WRITEs from it. No more than the link can buffer, else a few large messages would make the kernel drop their own packets;
 * a peer is taken to buffer as much as this end. One queue pair takes half at most: a peer that does not answer must not
 * hold up all others.
 */
public final class FlightWindow {

    private static final int LARGEST = 1 << 20;
    private static final int SMALLEST = 16 << 10;
    private static final int LARGEST_REQUEST = 64 << 10;

    /** The most packets that one queue pair may wait for; a power of two. */
    public static final int MOST_PACKETS = LARGEST / 2 / PathMtu.MTU_256.bytes();

    private final int limitBytes;
    private int usedBytes;

    FlightWindow(int linkBytes) {
        this.limitBytes = Math.clamp(linkBytes, SMALLEST, LARGEST);
    }

    /** Returns how many bytes one READ request asks for: several fit into the window, so that it never runs dry. */
    public int requestBytes() {
        return Math.min(LARGEST_REQUEST, Integer.highestOneBit(limitBytes) / 4);
    }

    /** Returns how many bytes one queue pair may wait for. */
    public int shareBytes() {
        return limitBytes / 2;
    }

    /** Takes room; false when there is none now. */
    public boolean reserve(int bytes) {
        if (usedBytes + bytes > limitBytes) {
            return false;
        }
        usedBytes += bytes;
        return true;
    }

    /** Gives room back. */
    public void release(int bytes) {
        usedBytes -= bytes;
    }

    public int usedBytes() {
        return usedBytes;
    }
}
