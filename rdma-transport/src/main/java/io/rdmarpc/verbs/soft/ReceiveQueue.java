package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.AccessFlag;
import io.rdmarpc.verbs.ReceiveRequests;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A ring of posted receives, each with some buffers that are filled in their order. */
final class ReceiveQueue {

    private final int capacity;
    private final int mask;
    private final int maxSge;
    private final long[] wrIds;
    private final int[] sgeCounts;
    private final long[] addresses;
    private final int[] lengths;
    private final int[] lkeys;
    private long head;
    private long tail;

    ReceiveQueue(int capacity, int maxSge) {
        this.capacity = capacity;
        this.maxSge = maxSge;
        int size = Integer.highestOneBit(Math.max(1, capacity * 2 - 1));
        this.mask = size - 1;
        this.wrIds = new long[size];
        this.sgeCounts = new int[size];
        this.addresses = new long[size * maxSge];
        this.lengths = new int[size * maxSge];
        this.lkeys = new int[size * maxSge];
    }

    int maxSge() {
        return maxSge;
    }

    boolean isEmpty() {
        return head == tail;
    }

    boolean isFull() {
        return tail - head >= capacity;
    }

    void push(ReceiveRequests requests, int index) {
        int at = (int) tail++ & mask;
        wrIds[at] = requests.wrId(index);
        sgeCounts[at] = requests.numSge(index);
        for (int i = 0; i < sgeCounts[at]; i++) {
            addresses[at * maxSge + i] = requests.sgeAddress(index, i);
            lengths[at * maxSge + i] = requests.sgeLength(index, i);
            lkeys[at * maxSge + i] = requests.sgeLkey(index, i);
        }
    }

    private int first() {
        return (int) head & mask;
    }

    private int firstSge() {
        return first() * maxSge;
    }

    private int endSge() {
        return firstSge() + sgeCounts[first()];
    }

    long wrId() {
        return wrIds[first()];
    }

    /** Returns the bytes of all buffers of the oldest receive. */
    long length() {
        long sum = 0;
        for (int i = firstSge(); i < endSge(); i++) {
            sum += Integer.toUnsignedLong(lengths[i]);
        }
        return sum;
    }

    /** Tells whether the buffers of the oldest receive may be written as far as a message needs them. */
    boolean isWritable(SoftProtectionDomain domain, int bytes) {
        long left = bytes;
        for (int i = firstSge(); i < endSge() && left > 0; i++) {
            long part = Math.min(left, Integer.toUnsignedLong(lengths[i]));
            if (part > 0 && region(domain, i, part) == null) {
                return false;
            }
            left -= part;
        }
        return left <= 0;
    }

    private @Nullable SoftMemoryRegion region(SoftProtectionDomain domain, int sge, long bytes) {
        return domain.rnic().memory().local(domain, lkeys[sge], addresses[sge], bytes, AccessFlag.LOCAL_WRITE.bit());
    }

    /**
     * Copies a part of a message into the oldest receive; false when a key, range or right does not allow it.
     *
     * @param offset where the part starts in the message
     * @param from where it starts in the source
     */
    boolean scatter(SoftProtectionDomain domain, int offset, int bytes, MemorySegment source, int from) {
        long skip = offset;
        int done = 0;
        for (int i = firstSge(); i < endSge() && done < bytes; i++) {
            long length = Integer.toUnsignedLong(lengths[i]);
            if (skip >= length) {
                skip -= length;
                continue;
            }
            int part = (int) Math.min(bytes - done, length - skip);
            SoftMemoryRegion region = region(domain, i, skip + part);
            if (region == null || !region.copyIn(addresses[i] + skip, part, source, from + done)) {
                return false;
            }
            done += part;
            skip = 0;
        }
        return done == bytes;
    }

    void pop() {
        head++;
    }

    void clear() {
        head = tail;
    }
}
