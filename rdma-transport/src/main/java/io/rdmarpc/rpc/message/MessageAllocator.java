package io.rdmarpc.rpc.message;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;

/** Gives registered memory that suits one peer. Any thread. */
public interface MessageAllocator {

    /**
     * Allocates a buffer for a message to the peer. Up to {@link #maxPacketPayload()} it comes from a slab and costs
     * little; beyond, it is memory that the peer will READ, and the first one of its size is registered, which blocks. A thread
     * that turns the engine registers nothing: there such a message is written to other memory and copied before it leaves.
     *
     * @param capacityBytes payload bytes it must hold
     * @return a buffer of at least that capacity, owned by the caller until it is handed over or closed
     * @throws RdmaMessageTooLargeException over {@link #maxMessageBytes()}
     */
    MessageBuffer allocate(int capacityBytes);

    /**
     * Returns the longest payload that travels in one packet.
     *
     * @return bytes
     */
    int maxPacketPayload();

    /**
     * Returns the longest message the peers agreed on.
     *
     * @return bytes
     */
    int maxMessageBytes();
}
