package io.rdmarpc.verbs.mr;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Set;

/**
 * Memory that a device may use ({@code struct ibv_mr}). The region does not own the memory, which must stay allocated
 * until the region is closed. Thread-safe.
 */
public interface MemoryRegion extends AutoCloseable {

    /**
     * Returns the registered memory.
     *
     * @return the segment given at registration
     */
    MemorySegment segment();

    /**
     * Returns the address of the first byte for local and remote work requests.
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
     * @throws IndexOutOfBoundsException if the part does not lie inside the region
     */
    default long addressOf(long offset, long length) {
        return address() + Objects.checkFromIndexSize(offset, length, byteSize());
    }

    /**
     * Returns the value by which a bind of a memory window refers to the region.
     *
     * @return an opaque number: the C pointer; 0 if the provider has no windows
     */
    default long handle() {
        return 0;
    }

    /**
     * Returns the key for local work requests.
     *
     * @return the lkey
     */
    int lkey();

    /**
     * Returns the key for a peer's work requests.
     *
     * @return the rkey; a peer can use it only if remote access flags are set
     */
    int rkey();

    /**
     * Returns the access flags.
     *
     * @return the access flags given at registration
     */
    Set<AccessFlag> access();

    /**
     * Changes the memory, the access rights, or both, of this registration ({@code ibv_rereg_mr}). The keys may change.
     *
     * @param segment the new memory
     * @param access the new access flags
     * @throws RdmaVerbsException if the device rejects the request; the message states whether the region is unchanged
     *     or must be closed
     */
    default void reregister(MemorySegment segment, Set<AccessFlag> access) {
        throw RdmaVerbsException.notSupported("ibv_rereg_mr", "", "Close this region and register again");
    }

    /**
     * Invalidates the remote key and assigns a new one. Nothing else changes. Blocks at most for a short lock, so that
     * a polling thread may call it.
     *
     * @return false if the device does not support this or the region is closed. The remote key is then unchanged;
     *     deregister the memory and register it again, which blocks
     */
    default boolean renewRemoteKey() {
        return false;
    }

    /**
     * Deregisters the memory and invalidates both keys. Local work requests that use the memory must have completed. A
     * second call does nothing.
     *
     * @throws RdmaVerbsException if the device keeps the memory, which must not be reused then. With {@code EBUSY} the
     *     keys are invalid, but a process on this host has stopped during a write to the memory. Closing the memory's
     *     arena is safe. A further call fails in the same way until that process has finished its write or has ended
     */
    @Override
    void close();
}
