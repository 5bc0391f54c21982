package io.rdmarpc.verbs.mr;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
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
     * Returns the first byte's address for work requests, local and remote alike.
     *
     * @return a virtual address; 0 for a region that is {@link AccessFlag#ZERO_BASED}
     */
    default long address() {
        return segment().address();
    }

    /**
     * Returns the length.
     *
     * @return bytes
     */
    default long byteSize() {
        return segment().byteSize();
    }

    /**
     * Returns the address of a part for work requests.
     *
     * @param offset first byte of the part, from 0
     * @param length bytes of the part
     * @return the part's address
     * @throws IndexOutOfBoundsException when the part does not lie inside the region
     */
    default long addressOf(long offset, long length) {
        return address() + Objects.checkFromIndexSize(offset, length, byteSize());
    }

    /**
     * Returns what a bind of a memory window refers to it by.
     *
     * @return an opaque number: the C pointer; 0 where there are no windows
     */
    default long handle() {
        return 0;
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
     * Changes the memory, the access rights, or both, of this registration ({@code ibv_rereg_mr}). The keys may change.
     *
     * @param segment the memory from now on
     * @param access the rights from now on
     * @throws RdmaVerbsException when the device refuses; says whether the region is as before or must be closed
     */
    default void reregister(MemorySegment segment, Set<AccessFlag> access) {
        throw RdmaVerbsException.notSupported("ibv_rereg_mr", "", "Close this region and register again");
    }

    /**
     * Makes the remote key invalid and gives the region another one. Nothing else changes. Blocks for a short lock at most, so a
     * polling thread may call it.
     *
     * @return false if the device cannot do this, or the region is closed: the remote key is as before. Deregister the memory and
     *     register it again, which blocks
     */
    default boolean renewRemoteKey() {
        return false;
    }

    /**
     * Deregisters: both keys are invalid afterwards. No own work request that uses the memory may be outstanding. A
     * second call does nothing.
     *
     * @throws RdmaVerbsException when the device keeps the memory; it must not be used for anything else then. With {@code EBUSY} the
     *     keys are invalid, but a process on this host has stopped while it was writing to the memory. Closing the memory's arena is
     *     safe. A further call fails in the same way until that process has ended its write or is dead
     */
    @Override
    void close();
}
