package io.rdmarpc.verbs.ipc;

import io.rdmarpc.verbs.mr.MemoryRegion;
import java.lang.foreign.MemorySegment;

/**
 * What a memory region offers to its owner where a peer of the same host may have mapped the memory. A provider's region implements it alongside
 * {@link MemoryRegion}.
 */
public interface IpcMemoryRegion {

    /**
     * Returns what a region offers. For the registration, not for each call.
     *
     * @param region any provider's
     * @return the same object, or one for memory that no peer maps
     */
    static IpcMemoryRegion of(MemoryRegion region) {
        return region instanceof IpcMemoryRegion ipc ? ipc : new UnmappedRegion(region.segment());
    }

    /**
     * Tells whether a peer on this host has an open {@linkplain PeerMemoryView view} of the memory, so that it should not be written to. Counted
     * for each piece of memory, whatever is registered of it. A peer that has died may be counted for as long as the memory is there. Any thread.
     *
     * @return false when no peer has one, or ever can
     */
    boolean isViewed();

    /**
     * Makes a part cheap to write that a peer on this host may have read in place. The content of the part is lost. For the owner of the memory,
     * before it writes the whole part anew, while no other thread uses it.
     *
     * @param offset first byte in {@link MemoryRegion#segment()}
     * @param bytes how many
     * @throws IndexOutOfBoundsException when they do not lie inside the region
     */
    void prepare(long offset, long bytes);

    /**
     * Copies into a part that a peer on this host may have read in place, and will read again, by the stores that are cheapest for that. For the
     * owner of the memory, while no other thread uses the part. Source and part do not overlap.
     *
     * @param source where from, native or on the heap
     * @param sourceOffset first byte there
     * @param offset first byte in {@link MemoryRegion#segment()}
     * @param bytes how many
     * @throws IndexOutOfBoundsException when they do not lie in both
     */
    void copyFrom(MemorySegment source, long sourceOffset, long offset, long bytes);
}
