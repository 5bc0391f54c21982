package io.rdmarpc.verbs;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.mr.MemoryWindow;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** What may be used together: memory, queue pairs and address handles ({@code struct ibv_pd}). Any thread. */
public interface ProtectionDomain extends AutoCloseable {

    /**
     * Registers memory for sending from, the least there is: nobody may write, peers may not read.
     *
     * @param segment native memory that outlives the region, at least 1 byte
     * @return the region, to be closed by the caller
     * @throws RdmaVerbsException when the device refuses, for instance over the memlock limit
     */
    default MemoryRegion registerMemory(MemorySegment segment) {
        return registerMemory(segment, Set.of());
    }

    /**
     * Registers memory ({@code ibv_reg_mr}). Blocks: pins the pages. A mapped file may be registered too; with rights to
     * write only when it lies in memory (tmpfs, hugetlbfs) or is mapped privately.
     *
     * @param segment native memory that outlives the region, at least 1 byte
     * @param access what may be done with it; give as little as needed
     * @return the region, to be closed by the caller
     * @throws RdmaVerbsException when the device refuses, for instance over the memlock limit
     */
    MemoryRegion registerMemory(MemorySegment segment, Set<AccessFlag> access);

    /**
     * Registers memory that is there until its region is closed, whatever happens: a provider in Java need not look each time
     * whether it still is. Who frees it earlier ends the JVM.
     *
     * @param segment native memory, whose arena is closed after the region
     * @param access rights, as in {@link #registerMemory(MemorySegment, Set)}
     * @return the region, to be closed by the caller before the memory is freed
     * @throws RdmaVerbsException as there
     */
    default MemoryRegion registerLasting(MemorySegment segment, Set<AccessFlag> access) {
        return registerMemory(segment, access);
    }

    /**
     * Creates a queue pair in state RESET ({@code ibv_create_qp}).
     *
     * @param config type, queues and sizes
     * @return the queue pair, to be closed by the caller before its completion queues
     * @throws RdmaVerbsException when the device refuses, with the sizes asked for and its limits
     */
    QueuePair createQueuePair(QueuePairConfig config);

    /**
     * Resolves the way to a peer ({@code ibv_create_ah}). Blocks: may ask for a hardware address.
     *
     * @param attributes the way
     * @return the handle, to be closed by the caller
     * @throws RdmaVerbsException when there is no way to the peer
     */
    AddressHandle createAddressHandle(AddressHandleAttributes attributes);

    /**
     * Registers memory of another device by its dma-buf ({@code ibv_reg_dmabuf_mr}), such as a GPU's: data then moves
     * between the two devices without passing through main memory.
     *
     * @param fileDescriptor of the dma-buf; stays the caller's
     * @param offset first byte in the dma-buf
     * @param bytes length
     * @param ioVirtualAddress the address work requests will use for the first byte
     * @param access what may be done with it
     * @return the region, whose segment is empty, to be closed by the caller
     * @throws RdmaVerbsException when the device cannot do this or refuses
     */
    default MemoryRegion registerDmaBuf(
            int fileDescriptor, long offset, long bytes, long ioVirtualAddress, Set<AccessFlag> access) {
        throw RdmaVerbsException.notSupported(
                "ibv_reg_dmabuf_mr",
                "",
                "This provider cannot reach memory of other devices: copy through main memory");
    }

    /**
     * Creates a shared receive queue ({@code ibv_create_srq}).
     *
     * @param maxWr receives it must hold
     * @param maxSge scatter/gather entries of each
     * @return the queue, to be closed by the caller
     * @throws RdmaVerbsException when the device refuses, with its limits
     */
    default SharedReceiveQueue createSharedReceiveQueue(int maxWr, int maxSge) {
        throw RdmaVerbsException.notSupported(
                "ibv_create_srq", "", "This provider has no shared receive queues: give each queue pair its own");
    }

    /**
     * Allocates a memory window of type 2 ({@code ibv_alloc_mw}).
     *
     * @return the window, not bound, to be closed by the caller
     * @throws RdmaVerbsException when the device has none
     */
    default MemoryWindow allocateMemoryWindow() {
        throw RdmaVerbsException.notSupported(
                "ibv_alloc_mw", "", "This provider has no memory windows: register the part as a region of its own");
    }

    /**
     * Closes all that was made from the domain and is still open, queue pairs first, then frees it. A second call does
     * nothing.
     */
    @Override
    void close();
}
