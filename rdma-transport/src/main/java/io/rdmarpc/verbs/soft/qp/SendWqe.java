package io.rdmarpc.verbs.soft.qp;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.soft.domain.DomainContext;
import io.rdmarpc.verbs.soft.domain.SoftAddressHandle;
import io.rdmarpc.verbs.soft.domain.SoftMemoryRegion;
import io.rdmarpc.verbs.soft.port.DeviceConstants;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import io.rdmarpc.verbs.wr.CompletionOpcode;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * An entry of a send queue: a copy of the posted work request. Instances are reused; fields of other operations are
 * stale.
 */
public final class SendWqe {

    private static final int KNOWN_FLAGS =
            SendFlags.FENCE | SendFlags.SIGNALED | SendFlags.SOLICITED | SendFlags.INLINE;

    private final long[] addresses;
    private final int[] lengths;
    private final int[] lkeys;
    private final InlineData inlineData;
    private int sgeCount;
    private boolean inlined;
    private boolean kept;
    private @Nullable SoftMemoryView view;

    public long wrId;
    public int opcode;
    public boolean signaled;
    public boolean fenced;
    public boolean solicited;
    public int immediate;
    public int length;

    @Nullable
    public SoftAddressHandle addressHandle;

    public int remoteQpn;
    public int remoteQkey;

    public long remoteAddress;
    public int rkey;
    public long compareOrAdd;
    public long swap;
    public int firstPsn;
    /** For a READ: the ranges of its request packets end at multiples of this number of bytes. */
    public int requestBytes;

    SendWqe(int maxSge, int maxInlineBytes) {
        inlineData = new InlineData(maxInlineBytes);
        addresses = new long[maxSge];
        lengths = new int[maxSge];
        lkeys = new int[maxSge];
    }

    /** Copies the fields of all operations; returns an error number or 0. */
    int load(DomainContext domain, SendRequests requests, int index, boolean signalAll) {
        int flags = requests.flags(index);
        int count = requests.numSge(index);
        if ((flags & ~KNOWN_FLAGS) != 0 || count < 0 || count > addresses.length) {
            return Errno.EINVAL;
        }
        wrId = requests.wrId(index);
        opcode = requests.opcode(index);
        signaled = signalAll || (flags & SendFlags.SIGNALED) != 0;
        fenced = (flags & SendFlags.FENCE) != 0;
        solicited = (flags & SendFlags.SOLICITED) != 0;
        immediate = requests.immediate(index);
        requestBytes = Integer.MAX_VALUE;
        sgeCount = count;
        int errno = loadSges(requests, index);
        inlined = (flags & SendFlags.INLINE) != 0;
        kept = false;
        if (view != null) {
            view = null;
        }
        return errno == 0 && inlined && (hasDataResponse() || length > inlineData.capacity()) ? Errno.EINVAL : errno;
    }

    /** Makes this entry the READ of a view, which copies nothing. */
    public void loadView(long id, long address, int key, int bytes, SoftMemoryView into) {
        wrId = id;
        opcode = SendOpcode.RDMA_READ;
        signaled = true;
        fenced = false;
        solicited = false;
        sgeCount = 0;
        inlined = false;
        kept = false;
        remoteAddress = address;
        rkey = key;
        length = bytes;
        view = into;
    }

    /** Returns the view of this READ, or null if this entry copies bytes. */
    @Nullable
    public SoftMemoryView view() {
        return view;
    }

    /** Returns whether the message is inline. */
    public boolean isInlined() {
        return inlined;
    }

    /** Returns whether all of the message is in registered memory. */
    public boolean isRegistered(DomainContext domain) {
        return isAllowed(domain, 0);
    }

    /** Copies an inline message; the application may change its memory afterwards. Returns an error number or 0. */
    public int keep(DomainContext domain, SendRequests requests, int index) {
        int errno = inlineData.load(domain, requests, index);
        kept = errno == 0;
        return errno;
    }

    private int loadSges(SendRequests requests, int index) {
        long sum = 0;
        for (int i = 0; i < sgeCount; i++) {
            addresses[i] = requests.sgeAddress(index, i);
            lengths[i] = requests.sgeLength(index, i);
            lkeys[i] = requests.sgeLkey(index, i);
            sum += Integer.toUnsignedLong(lengths[i]);
        }
        length = (int) sum;
        return sum <= DeviceConstants.MAX_MESSAGE_BYTES ? 0 : Errno.EMSGSIZE;
    }

    /** Sets the address handle if it differs, because a reference store costs a GC barrier with G1. */
    @SuppressWarnings("ReferenceEquality") // compares identities on purpose
    public void setAddressHandle(SoftAddressHandle handle) {
        if (addressHandle != handle) {
            addressHandle = handle;
        }
    }

    // ---- operation ----

    public boolean isRead() {
        return opcode == SendOpcode.RDMA_READ;
    }

    public boolean isAtomic() {
        return opcode == SendOpcode.ATOMIC_CMP_AND_SWP || opcode == SendOpcode.ATOMIC_FETCH_AND_ADD;
    }

    /** Returns whether a response with data acknowledges the request: a READ or an atomic. */
    public boolean hasDataResponse() {
        return isRead() || isAtomic();
    }

    public boolean isWrite() {
        return opcode == SendOpcode.RDMA_WRITE || opcode == SendOpcode.RDMA_WRITE_WITH_IMM;
    }

    public boolean hasImmediate() {
        return opcode == SendOpcode.SEND_WITH_IMM || opcode == SendOpcode.RDMA_WRITE_WITH_IMM;
    }

    /** Returns the opcode of its completion. */
    public int completionOpcode() {
        return switch (opcode) {
            case SendOpcode.RDMA_WRITE, SendOpcode.RDMA_WRITE_WITH_IMM -> CompletionOpcode.RDMA_WRITE;
            case SendOpcode.RDMA_READ -> CompletionOpcode.RDMA_READ;
            case SendOpcode.ATOMIC_CMP_AND_SWP -> CompletionOpcode.COMP_SWAP;
            case SendOpcode.ATOMIC_FETCH_AND_ADD -> CompletionOpcode.FETCH_ADD;
            default -> CompletionOpcode.SEND;
        };
    }

    // ---- memory ----

    /**
     * Copies a part of the message into a packet; false if a key, range or right does not allow it.
     *
     * @param offset offset of the part in the message
     * @param at offset in the packet
     */
    public boolean gather(DomainContext domain, int offset, int bytes, PacketBuffer packet, int at) {
        return gather(domain, offset, bytes, packet.memory(), at);
    }

    /** Copies a part of the message into memory; false if a key, range or right does not allow it. */
    public boolean gather(DomainContext domain, int offset, int bytes, MemorySegment into, long at) {
        if (kept) {
            inlineData.copyOut(offset, bytes, into, at);
            return true;
        }
        int skip = offset;
        long to = at;
        int left = bytes;
        for (int i = 0; i < sgeCount && left > 0; i++) {
            if (skip < lengths[i]) {
                int part = Math.min(left, lengths[i] - skip);
                SoftMemoryRegion region = region(domain, i, 0);
                if (region == null || !region.copyOut(addresses[i] + skip, part, into, to)) {
                    return false;
                }
                to += part;
                left -= part;
                skip = 0;
            } else {
                skip -= lengths[i];
            }
        }
        return left == 0;
    }

    /** Returns whether all of the memory may be written. */
    public boolean isWritable(DomainContext domain) {
        return isAllowed(domain, AccessFlag.LOCAL_WRITE.bit());
    }

    private boolean isAllowed(DomainContext domain, int right) {
        for (int i = 0; i < sgeCount; i++) {
            if (lengths[i] > 0 && region(domain, i, right) == null) {
                return false;
            }
        }
        return true;
    }

    private @Nullable SoftMemoryRegion region(DomainContext domain, int sge, int right) {
        return domain.local(lkeys[sge], addresses[sge], lengths[sge], right);
    }

    /**
     * Copies a part of the message into this entry's memory; false if a key, range or right does not allow it.
     *
     * @param offset offset of the part in the message
     * @param at offset in the source
     */
    public boolean scatter(DomainContext domain, int offset, int bytes, MemorySegment from, long at) {
        int skip = offset;
        int left = bytes;
        for (int i = 0; i < sgeCount && left > 0; i++) {
            if (skip < lengths[i]) {
                int part = Math.min(left, lengths[i] - skip);
                SoftMemoryRegion region = region(domain, i, AccessFlag.LOCAL_WRITE.bit());
                if (region == null || !region.copyIn(addresses[i] + skip, part, from, at + bytes - left)) {
                    return false;
                }
                left -= part;
                skip = 0;
            } else {
                skip -= lengths[i];
            }
        }
        return left == 0;
    }
}
