package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.soft.shm.layout.ShmRingLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The header of a ring as read by its receiver. Each number is read once and then checked, because the sender can
 * change it at any time.
 *
 * @param capacity bytes of the record area
 * @param sender the sender's inbox
 * @param port the sender's UDP port
 * @param targetQpn number of the target queue pair, 0 if the ring is for all
 * @param sources the sender's addresses
 */
record RingHeader(int capacity, String sender, int port, int targetQpn, List<Gid> sources) {

    private static final ValueLayout.OfLong NETWORK_LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int LARGEST_PORT = 0xFFFF;

    /** Returns whether a file has a valid size for a ring. */
    static boolean fits(long fileBytes) {
        long capacity = fileBytes - ShmRingLayout.HEADER_BYTES;
        return capacity >= SharedMemoryOptions.SMALLEST_RING_BYTES
                && capacity <= SharedMemoryOptions.LARGEST_RING_BYTES
                && Long.bitCount(capacity) == 1;
    }

    /** Reads the header of a completely mapped ring; null if it is invalid. */
    static @Nullable RingHeader read(MemorySegment ring) {
        int magic = ring.get(ValueLayout.JAVA_INT, 0);
        int capacity = ring.get(ValueLayout.JAVA_INT, ShmRingLayout.CAPACITY);
        long jvm = ring.get(ValueLayout.JAVA_LONG, ShmRingLayout.SENDER_JVM);
        long number = ring.get(ValueLayout.JAVA_LONG, ShmRingLayout.SENDER_NUMBER);
        int port = ring.get(ValueLayout.JAVA_INT, ShmRingLayout.PORT);
        int addresses = ring.get(ValueLayout.JAVA_INT, ShmRingLayout.ADDRESSES);
        int targetQpn = ring.get(ValueLayout.JAVA_INT, ShmRingLayout.TARGET_QPN);
        boolean valid = magic == ShmRingLayout.MAGIC
                && fits(ring.byteSize())
                && capacity == ring.byteSize() - ShmRingLayout.HEADER_BYTES
                && port > 0
                && port <= LARGEST_PORT
                && addresses > 0
                && addresses <= ShmRingLayout.MAX_ADDRESSES
                && targetQpn >>> ShmRingLayout.QPN_BITS == 0;
        return valid
                ? new RingHeader(capacity, Inbox.name(jvm, number), port, targetQpn, addresses(ring, addresses))
                : null;
    }

    private static List<Gid> addresses(MemorySegment ring, int count) {
        Gid[] found = new Gid[count];
        for (int i = 0; i < count; i++) {
            long at = ShmRingLayout.ADDRESS_TABLE + (long) i * ShmRingLayout.ADDRESS_BYTES;
            found[i] = new Gid(ring.get(NETWORK_LONG, at), ring.get(NETWORK_LONG, at + Long.BYTES));
        }
        return List.of(found);
    }
}
