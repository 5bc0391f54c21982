package io.rdmarpc.remote;

import io.rdmarpc.remote.lease.RemoteRight;
import java.util.Set;

/**
 * Computes where records lie in a ring. Both sides compute it the same way, so that positions are not transmitted.
 *
 * <pre>
 *   0                                            capacity
 *   +---------+-----+-----------+----+--------------+
 *   | record  | 0-7 | record    |    | unused       |   a record that does not fit before the end begins at 0
 *   +---------+-----+-----------+----+--------------+
 * </pre>
 *
 * Positions only grow. The offset in the ring is the position modulo the capacity. Not thread-safe.
 */
final class RecordRingLayout {

    /** Maximum number of records that are written and not consumed. */
    static final int MAX_RECORDS = 256;

    /** Rights of the producer. */
    static final Set<RemoteRight> RIGHTS = Set.of(RemoteRight.WRITE, RemoteRight.NOTIFY);

    static final String SIZES = "a ring has 64 bytes to 256 MiB";

    private static final long MIN_BYTES = 64;
    private static final long MAX_BYTES = 256L << 20;
    private static final int ALIGNMENT = 8;
    private static final int MAX_RECORD_DIVISOR = 4;

    private final long capacity;
    private long position;

    RecordRingLayout(long capacity) {
        this.capacity = capacity;
    }

    static boolean fits(long bytes) {
        return bytes >= MIN_BYTES && bytes <= MAX_BYTES;
    }

    /** Returns the maximum record length. A ring has room for such a record if it is at most three quarters full. */
    static long maxRecordBytes(long capacity) {
        return capacity / MAX_RECORD_DIVISOR;
    }

    static long capacityFor(long bytes) {
        return bytes / ALIGNMENT * ALIGNMENT;
    }

    /** Returns the position at which the next record of this length would end. */
    long endOf(long bytes) {
        return beginOf(bytes) + padded(bytes);
    }

    /** Adds a record; returns its offset in the ring. */
    long put(long bytes) {
        long begin = beginOf(bytes);
        position = begin + padded(bytes);
        return begin % capacity;
    }

    private long beginOf(long bytes) {
        long offset = position % capacity;
        return offset + padded(bytes) > capacity ? position + capacity - offset : position;
    }

    private static long padded(long bytes) {
        return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    long position() {
        return position;
    }
}
