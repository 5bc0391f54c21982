package io.rdmarpc.verbs.ipc;

import io.rdmarpc.verbs.mr.MemoryRegion;
import java.lang.foreign.MemorySegment;

/**
 * The extension of a memory region that peers on the same host may map. A provider's region implements it alongside
 * {@link MemoryRegion}. It is for the owner of the memory.
 */
public interface IpcMemoryRegion {

    /**
     * Returns the extension of a region. Call it once per registration, not for each request.
     *
     * @param region a region of any provider
     * @return the region itself if it has the extension, otherwise an object for memory that no peer maps
     */
    static IpcMemoryRegion of(MemoryRegion region) {
        return region instanceof IpcMemoryRegion ipc ? ipc : new UnmappedRegion(region.segment());
    }

    /**
     * Returns whether a peer on this host has an open {@linkplain PeerMemoryView view} of the memory. The owner should
     * not write to it then. Views are counted for each memory object, for all regions registered in it. Views of a peer
     * whose process died may be counted until the memory is freed. Thread-safe.
     *
     * @return false if no peer has a view
     */
    boolean isViewed();

    /**
     * Prepares a part for rewriting if a peer on this host may have read it in place. Afterwards writes do not wait for
     * cache lines of a distant CPU. The old content of the part is lost. Call it before you rewrite the whole part,
     * while no other thread uses it.
     *
     * @param offset first byte in {@link MemoryRegion#segment()}
     * @param bytes the length
     * @throws IndexOutOfBoundsException if the part does not lie inside the region
     */
    void prepare(long offset, long bytes);

    /**
     * Copies into a part that a peer on this host reads in place repeatedly, with ordinary or streaming stores,
     * whichever are faster. Call it while no other thread uses the part. Source and part must not overlap.
     *
     * @param source native or heap memory
     * @param sourceOffset first byte in the source
     * @param offset first byte in {@link MemoryRegion#segment()}
     * @param bytes the length
     * @throws IndexOutOfBoundsException if the bytes do not lie inside both
     */
    void copyFrom(MemorySegment source, long sourceOffset, long offset, long bytes);
}
