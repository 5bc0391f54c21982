package io.rdmarpc.remote;

import io.rdmarpc.remote.lease.RemoteRight;
import java.util.Set;

/**
 * Where records lie in a ring. Both sides count the same way, so no position travels.
 *
 * <pre>
 *   0                                            capacity
 *   +---------+-----+-----------+----+--------------+
 *   | record  | 0-7 | record    |    | not used     |   a record that does not fit before the end begins at 0
 *   +---------+-----+-----------+----+--------------+
 * </pre>
 *
 * Positions only grow; a place in the ring is the position modulo the capacity. One thread.
 */
final class RecordRingLayout {

    /** Records that are written and not consumed. */
    static final int MOST_RECORDS = 256;

    /** What the producer may do with it. */
    static final Set<RemoteRight> RIGHTS = Set.of(RemoteRight.WRITE, RemoteRight.NOTIFY);

    static final String SIZES = "it has 64 bytes to 256 MiB";

    private static final long LEAST_BYTES = 64;
    private static final long MOST_BYTES = 256L << 20;
    private static final int ALIGNMENT = 8;
    private static final int LARGEST_PART = 4;

    private final long capacity;
    private long position;

    RecordRingLayout(long capacity) {
        this.capacity = capacity;
    }

    static boolean fits(long bytes) {
        return bytes >= LEAST_BYTES && bytes <= MOST_BYTES;
    }

    /** A ring always has room for a record of this length, when a quarter of it is consumed. */
    static long mostRecordBytes(long capacity) {
        return capacity / LARGEST_PART;
    }

    static long capacityFor(long bytes) {
        return bytes / ALIGNMENT * ALIGNMENT;
    }

    /** Tells where the next record would end, as a position. */
    long endOf(long bytes) {
        return beginOf(bytes) + padded(bytes);
    }

    /** Puts a record there; returns its place in the ring. */
    long put(long bytes) {
        long begin = beginOf(bytes);
        position = begin + padded(bytes);
        return begin % capacity;
    }

    private long beginOf(long bytes) {
        long place = position % capacity;
        return place + padded(bytes) > capacity ? position + capacity - place : position;
    }

    private static long padded(long bytes) {
        return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    long position() {
        return position;
    }
}
