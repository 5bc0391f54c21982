package io.rdmarpc.verbs;

import java.lang.foreign.MemorySegment;
import java.util.Set;

/** What may be used together: memory, queue pairs and address handles ({@code struct ibv_pd}). Any thread. */
public interface ProtectionDomain extends AutoCloseable {

    /**
     * Registers memory ({@code ibv_reg_mr}). Blocks: pins the pages.
     *
     * @param segment native memory that outlives the region, at least 1 byte
     * @param access what may be done with it; give as little as needed
     * @return the region, to be closed by the caller
     * @throws VerbsException when the device refuses, for instance over the memlock limit
     */
    MemoryRegion registerMemory(MemorySegment segment, Set<AccessFlag> access);

    /**
     * Creates a queue pair in state RESET ({@code ibv_create_qp}).
     *
     * @param config type, queues and sizes
     * @return the queue pair, to be closed by the caller before its completion queues
     * @throws VerbsException when the device refuses, with the sizes asked for and its limits
     */
    QueuePair createQueuePair(QueuePairConfig config);

    /**
     * Resolves the way to a peer ({@code ibv_create_ah}). Blocks: may ask for a hardware address.
     *
     * @param attributes the way
     * @return the handle, to be closed by the caller
     * @throws VerbsException when there is no way to the peer
     */
    AddressHandle createAddressHandle(AddressHandleAttributes attributes);

    /** Frees the domain; all that was made from it must be closed before. A second call does nothing. */
    @Override
    void close();
}
