package io.rdmarpc.verbs;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.mr.MemoryWindow;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * The group within which memory regions, queue pairs and address handles may be used together ({@code struct ibv_pd}).
 * Thread-safe.
 */
public interface ProtectionDomain extends AutoCloseable {

    /**
     * Registers memory as a source of sends. The device may not write to it, and peers may not access it.
     *
     * @param segment native memory that outlives the region, at least 1 byte
     * @return the region, which the caller closes
     * @throws RdmaVerbsException if the device rejects the request, for instance over the memlock limit
     */
    default MemoryRegion registerMemory(MemorySegment segment) {
        return registerMemory(segment, Set.of());
    }

    /**
     * Registers memory ({@code ibv_reg_mr}). Blocks while the kernel pins the pages. A mapped file may be registered
     * too. Write access requires a file in memory (tmpfs, hugetlbfs) or a private mapping.
     *
     * @param segment native memory that outlives the region, at least 1 byte
     * @param access the access flags; request only those that are needed
     * @return the region, which the caller closes
     * @throws RdmaVerbsException if the device rejects the request, for instance over the memlock limit
     */
    MemoryRegion registerMemory(MemorySegment segment, Set<AccessFlag> access);

    /**
     * Registers memory that stays allocated until its region is closed. A provider in Java may then omit the check that
     * the memory still exists. Freeing it earlier crashes the JVM.
     *
     * @param segment native memory; close its arena after the region
     * @param access rights, as in {@link #registerMemory(MemorySegment, Set)}
     * @return the region, which the caller closes before the memory is freed
     * @throws RdmaVerbsException as in {@link #registerMemory(MemorySegment, Set)}
     */
    default MemoryRegion registerLasting(MemorySegment segment, Set<AccessFlag> access) {
        return registerMemory(segment, access);
    }

    /**
     * Creates a queue pair in state RESET ({@code ibv_create_qp}).
     *
     * @param config type, queues and sizes
     * @return the queue pair, which the caller closes before its completion queues
     * @throws RdmaVerbsException if the device rejects the request, with the requested sizes and the device's limits
     */
    QueuePair createQueuePair(QueuePairConfig config);

    /**
     * Resolves the route to a peer ({@code ibv_create_ah}). Blocks: the device may have to resolve a hardware address.
     *
     * @param attributes the route
     * @return the handle, which the caller closes
     * @throws RdmaVerbsException if there is no route to the peer
     */
    AddressHandle createAddressHandle(AddressHandleAttributes attributes);

    /**
     * Registers memory of another device, such as a GPU, by its dma-buf ({@code ibv_reg_dmabuf_mr}). Data then moves
     * between the two devices without a copy in main memory.
     *
     * @param fileDescriptor the dma-buf; the caller keeps ownership
     * @param offset the first byte in the dma-buf
     * @param bytes the length in bytes
     * @param ioVirtualAddress the address that work requests use for the first byte
     * @param access the access flags
     * @return the region, whose segment is empty, and which the caller closes
     * @throws RdmaVerbsException if the device does not support this or rejects the request
     */
    default MemoryRegion registerDmaBuf(
            int fileDescriptor, long offset, long bytes, long ioVirtualAddress, Set<AccessFlag> access) {
        throw RdmaVerbsException.notSupported(
                "ibv_reg_dmabuf_mr",
                "",
                "This provider cannot access memory of other devices: copy through main memory");
    }

    /**
     * Creates a shared receive queue ({@code ibv_create_srq}).
     *
     * @param maxWr the number of receives that must fit
     * @param maxSge scatter/gather entries of each receive
     * @return the queue, which the caller closes
     * @throws RdmaVerbsException if the device rejects the request, with the device's limits
     */
    default SharedReceiveQueue createSharedReceiveQueue(int maxWr, int maxSge) {
        throw RdmaVerbsException.notSupported(
                "ibv_create_srq", "", "This provider has no shared receive queues: use one per queue pair");
    }

    /**
     * Allocates a memory window of type 2 ({@code ibv_alloc_mw}).
     *
     * @return the window, not bound, which the caller closes
     * @throws RdmaVerbsException if the device has no memory windows
     */
    default MemoryWindow allocateMemoryWindow() {
        throw RdmaVerbsException.notSupported(
                "ibv_alloc_mw", "", "This provider has no memory windows: register the part as a separate region");
    }

    /**
     * Closes all open objects that were created from the domain, queue pairs first, then frees it. A second call does
     * nothing.
     */
    @Override
    void close();
}
