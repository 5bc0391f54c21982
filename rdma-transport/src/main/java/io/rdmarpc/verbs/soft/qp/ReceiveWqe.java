package io.rdmarpc.verbs.soft.qp;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.soft.domain.DomainContext;
import io.rdmarpc.verbs.soft.domain.SoftMemoryRegion;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A posted receive: a copy of the work request. Messages fill its buffers in order. Instances are reused.
 *
 * <p>A queue has many entries. Each is used again only after all others, so it is no longer in the cache then. The
 * first buffer is stored in the object itself, because nearly all receives have one buffer. Such a receive needs one
 * cache line instead of four.
 */
public final class ReceiveWqe {

    private static final long[] NO_ADDRESSES = {};
    private static final int[] NO_NUMBERS = {};

    private int sgeCount;
    private int lkey;
    private long address;
    private long wrId;
    private long length;
    private long firstLength;

    /** The second and later buffers. */
    private final long[] addresses;

    private final int[] lengths;
    private final int[] lkeys;

    ReceiveWqe(int maxSge) {
        boolean onlyOne = maxSge <= 1;
        addresses = onlyOne ? NO_ADDRESSES : new long[maxSge - 1];
        lengths = onlyOne ? NO_NUMBERS : new int[maxSge - 1];
        lkeys = onlyOne ? NO_NUMBERS : new int[maxSge - 1];
    }

    void load(ReceiveRequests requests, int index) {
        wrId = requests.wrId(index);
        sgeCount = requests.numSge(index);
        firstLength = 0;
        if (sgeCount > 0) {
            address = requests.sgeAddress(index, 0);
            firstLength = Integer.toUnsignedLong(requests.sgeLength(index, 0));
            lkey = requests.sgeLkey(index, 0);
        }
        length = firstLength;
        for (int i = 1; i < sgeCount; i++) {
            addresses[i - 1] = requests.sgeAddress(index, i);
            lengths[i - 1] = requests.sgeLength(index, i);
            lkeys[i - 1] = requests.sgeLkey(index, i);
            length += length(i);
        }
    }

    void copyFrom(ReceiveWqe other) {
        wrId = other.wrId;
        sgeCount = other.sgeCount;
        length = other.length;
        address = other.address;
        firstLength = other.firstLength;
        lkey = other.lkey;
        for (int i = 0; i < sgeCount - 1; i++) {
            addresses[i] = other.addresses[i];
            lengths[i] = other.lengths[i];
            lkeys[i] = other.lkeys[i];
        }
    }

    public int sgeCount() {
        return sgeCount;
    }

    /** Returns the address of the first buffer, if there is one. */
    public long address() {
        return address;
    }

    /** Returns the lkey of the first buffer, if there is one. */
    public int lkey() {
        return lkey;
    }

    private long address(int sge) {
        return sge == 0 ? address : addresses[sge - 1];
    }

    private long length(int sge) {
        return sge == 0 ? firstLength : Integer.toUnsignedLong(lengths[sge - 1]);
    }

    long wrId() {
        return wrId;
    }

    /** Returns the total length of all buffers in bytes. */
    public long length() {
        return length;
    }

    /**
     * Copies a route header and the payload after it into the buffers; false if a key, range or right does not allow
     * it. If the buffers together are too short, they stay unchanged.
     */
    public boolean scatterDatagram(
            DomainContext domain, MemorySegment routeHeader, int payload, MemorySegment source, long from) {
        int bytes = RouteHeader.BYTES + payload;
        if (sgeCount == 0 || firstLength < bytes) {
            return isWritable(domain, bytes)
                    && scatter(domain, 0, RouteHeader.BYTES, routeHeader, 0)
                    && scatter(domain, RouteHeader.BYTES, payload, source, from);
        }
        SoftMemoryRegion region = region(domain, 0, address, bytes);
        return region != null
                && region.copyIn(address, RouteHeader.BYTES, routeHeader, 0)
                && region.copyIn(address + RouteHeader.BYTES, payload, source, from);
    }

    /** Returns whether a message of this length may be written to the buffers. */
    private boolean isWritable(DomainContext domain, int bytes) {
        long left = bytes;
        for (int i = 0; i < sgeCount && left > 0; i++) {
            long part = Math.min(left, length(i));
            if (part > 0 && region(domain, i, address(i), part) == null) {
                return false;
            }
            left -= part;
        }
        return left == 0;
    }

    /**
     * Copies a part of a message into the buffers; false if a key, range or right does not allow it.
     *
     * @param offset offset of the part in the message
     * @param from offset in the source
     */
    public boolean scatter(DomainContext domain, int offset, int bytes, MemorySegment source, long from) {
        long skip = offset;
        int done = 0;
        for (int i = 0; i < sgeCount && done < bytes; i++) {
            long room = length(i);
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

    private boolean copy(DomainContext domain, int sge, long skip, int bytes, MemorySegment source, long from) {
        long to = address(sge) + skip;
        SoftMemoryRegion region = region(domain, sge, to, bytes);
        return region != null && region.copyIn(to, bytes, source, from);
    }

    private @Nullable SoftMemoryRegion region(DomainContext domain, int sge, long at, long bytes) {
        int key = sge == 0 ? lkey : lkeys[sge - 1];
        return domain.local(key, at, bytes, AccessFlag.LOCAL_WRITE.bit());
    }
}
