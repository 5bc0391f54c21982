package io.rdmarpc.verbs;

import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * Memory that a device may use ({@code struct ibv_mr}). The memory itself belongs to whoever allocated it and must stay
 * alive until the region is closed. Any thread.
 */
public interface MemoryRegion extends AutoCloseable {

    /**
     * Returns the registered memory.
     *
     * @return the segment given at registration
     */
    MemorySegment segment();

    /**
     * Returns the first byte's address, local and remote alike.
     *
     * @return a virtual address
     */
    default long address() {
        return segment().address();
    }

    /**
     * Returns the key for own work requests.
     *
     * @return the lkey
     */
    int lkey();

    /**
     * Returns the key a peer needs.
     *
     * @return the rkey; useless to a peer without remote access flags
     */
    int rkey();

    /**
     * Returns what may be done with it.
     *
     * @return the access flags given at registration
     */
    Set<AccessFlag> access();

    /**
     * Deregisters: both keys are invalid afterwards. No own work request that uses the memory may be outstanding. A
     * second call does nothing.
     */
    @Override
    void close();
}
