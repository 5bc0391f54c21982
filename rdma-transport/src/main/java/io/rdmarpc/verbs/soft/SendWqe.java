package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.AccessFlag;
import io.rdmarpc.verbs.Errno;
import io.rdmarpc.verbs.SendFlags;
import io.rdmarpc.verbs.SendRequests;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import org.jspecify.annotations.Nullable;

/** An entry of a send queue: a copy of the work request that was posted. Reused; fields of other operations are stale. */
final class SendWqe {

    private static final int KNOWN_FLAGS = SendFlags.FENCE | SendFlags.SIGNALED | SendFlags.SOLICITED;

    private final long[] addresses;
    private final int[] lengths;
    private final int[] lkeys;
    private int sgeCount;

    long wrId;
    boolean signaled;
    int length;

    @Nullable
    SoftAddressHandle addressHandle;

    int remoteQpn;
    int remoteQkey;

    long remoteAddress;
    int rkey;
    int firstPsn;

    SendWqe(int maxSge) {
        addresses = new long[maxSge];
        lengths = new int[maxSge];
        lkeys = new int[maxSge];
    }

    /** Copies what all operations have; returns an error number. */
    int load(SendRequests requests, int index, boolean signalAll) {
        int flags = requests.flags(index);
        int count = requests.numSge(index);
        if ((flags & ~KNOWN_FLAGS) != 0 || count < 0 || count > addresses.length) {
            return Errno.EINVAL;
        }
        wrId = requests.wrId(index);
        signaled = signalAll || (flags & SendFlags.SIGNALED) != 0;
        sgeCount = count;
        return loadSges(requests, index);
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
        return sum <= SoftContext.MAX_MESSAGE_BYTES ? 0 : Errno.EMSGSIZE;
    }

    /** Copies the whole message into a packet; false when a key, range or right does not allow it. */
    boolean gather(SoftProtectionDomain domain, PacketBuffer packet, int at) {
        MemoryTable memory = domain.rnic().memory();
        int to = at;
        for (int i = 0; i < sgeCount; i++) {
            if (lengths[i] > 0) {
                SoftMemoryRegion region = memory.local(domain, lkeys[i], addresses[i], lengths[i], 0);
                if (region == null || !region.copyOut(addresses[i], lengths[i], packet, to)) {
                    return false;
                }
                to += lengths[i];
            }
        }
        return true;
    }

    /** Tells whether all of the memory may be written. */
    boolean isWritable(SoftProtectionDomain domain) {
        for (int i = 0; i < sgeCount; i++) {
            if (lengths[i] > 0 && region(domain, i) == null) {
                return false;
            }
        }
        return true;
    }

    private @Nullable SoftMemoryRegion region(SoftProtectionDomain domain, int sge) {
        return domain.rnic()
                .memory()
                .local(domain, lkeys[sge], addresses[sge], lengths[sge], AccessFlag.LOCAL_WRITE.bit());
    }

    /**
     * Copies a part of the message from a packet; false when a key, range or right does not allow it.
     *
     * @param offset where the part starts in the message
     * @param at where it starts in the packet
     */
    boolean scatter(SoftProtectionDomain domain, int offset, PacketBuffer packet, int at, int bytes) {
        int skip = offset;
        int from = at;
        int left = bytes;
        for (int i = 0; i < sgeCount && left > 0; i++) {
            if (skip < lengths[i]) {
                int part = Math.min(left, lengths[i] - skip);
                SoftMemoryRegion region = region(domain, i);
                if (region == null || !region.copyIn(addresses[i] + skip, part, packet.memory(), from)) {
                    return false;
                }
                from += part;
                left -= part;
                skip = 0;
            } else {
                skip -= lengths[i];
            }
        }
        return left == 0;
    }
}
