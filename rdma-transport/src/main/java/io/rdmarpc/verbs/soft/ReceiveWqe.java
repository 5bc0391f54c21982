package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.AccessFlag;
import io.rdmarpc.verbs.ReceiveRequests;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A posted receive: a copy of the work request. Its buffers are filled in their order. Reused. */
final class ReceiveWqe {

    private final long[] addresses;
    private final int[] lengths;
    private final int[] lkeys;
    private int sgeCount;
    private long wrId;
    private long length;

    ReceiveWqe(int maxSge) {
        addresses = new long[maxSge];
        lengths = new int[maxSge];
        lkeys = new int[maxSge];
    }

    void load(ReceiveRequests requests, int index) {
        wrId = requests.wrId(index);
        sgeCount = requests.numSge(index);
        length = 0;
        for (int i = 0; i < sgeCount; i++) {
            addresses[i] = requests.sgeAddress(index, i);
            lengths[i] = requests.sgeLength(index, i);
            lkeys[i] = requests.sgeLkey(index, i);
            length += Integer.toUnsignedLong(lengths[i]);
        }
    }

    void copyFrom(ReceiveWqe other) {
        wrId = other.wrId;
        sgeCount = other.sgeCount;
        length = other.length;
        for (int i = 0; i < sgeCount; i++) {
            addresses[i] = other.addresses[i];
            lengths[i] = other.lengths[i];
            lkeys[i] = other.lkeys[i];
        }
    }

    int sgeCount() {
        return sgeCount;
    }

    /** Returns where the first piece of its memory is, if it has any. */
    long address() {
        return addresses[0];
    }

    /** Returns the key of the first piece of its memory, if it has any. */
    int lkey() {
        return lkeys[0];
    }

    long wrId() {
        return wrId;
    }

    /** Returns the bytes of all buffers. */
    long length() {
        return length;
    }

    /** Copies a route header and the payload behind it into the buffers: all of it, or nothing when that is not allowed. */
    boolean scatterDatagram(
            SoftProtectionDomain domain, MemorySegment routeHeader, int payload, MemorySegment source, long from) {
        int bytes = RouteHeader.BYTES + payload;
        if (sgeCount == 0 || Integer.toUnsignedLong(lengths[0]) < bytes) {
            return isWritable(domain, bytes)
                    && scatter(domain, 0, RouteHeader.BYTES, routeHeader, 0)
                    && scatter(domain, RouteHeader.BYTES, payload, source, from);
        }
        SoftMemoryRegion region = region(domain, 0, addresses[0], bytes);
        return region != null
                && region.copyIn(addresses[0], RouteHeader.BYTES, routeHeader, 0)
                && region.copyIn(addresses[0] + RouteHeader.BYTES, payload, source, from);
    }

    /** Tells whether the buffers may be written as far as a message needs them. */
    private boolean isWritable(SoftProtectionDomain domain, int bytes) {
        long left = bytes;
        for (int i = 0; i < sgeCount && left > 0; i++) {
            long part = Math.min(left, Integer.toUnsignedLong(lengths[i]));
            if (part > 0 && region(domain, i, addresses[i], part) == null) {
                return false;
            }
            left -= part;
        }
        return left == 0;
    }

    /**
     * Copies a part of a message into the buffers; false when a key, range or right does not allow it.
     *
     * @param offset where the part starts in the message
     * @param from where it starts in the source
     */
    boolean scatter(SoftProtectionDomain domain, int offset, int bytes, MemorySegment source, long from) {
        long skip = offset;
        int done = 0;
        for (int i = 0; i < sgeCount && done < bytes; i++) {
            long room = Integer.toUnsignedLong(lengths[i]);
            if (skip < room) {
                int part = (int) Math.min(bytes - done, room - skip);
                if (!copy(domain, i, skip, part, source, from + done)) {
                    return false;
                }
                done += part;
                skip = 0;
            } else {
                skip -= room;
            }
        }
        return done == bytes;
    }

    private boolean copy(SoftProtectionDomain domain, int sge, long skip, int bytes, MemorySegment source, long from) {
        long address = addresses[sge] + skip;
        SoftMemoryRegion region = region(domain, sge, address, bytes);
        return region != null && region.copyIn(address, bytes, source, from);
    }

    private @Nullable SoftMemoryRegion region(SoftProtectionDomain domain, int sge, long address, long bytes) {
        return domain.rnic().memory().local(domain, lkeys[sge], address, bytes, AccessFlag.LOCAL_WRITE.bit());
    }
}
