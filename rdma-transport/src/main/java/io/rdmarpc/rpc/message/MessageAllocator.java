package io.rdmarpc.rpc.message;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;

/** Allocates registered memory that suits one peer. Thread-safe. */
public interface MessageAllocator {

    /**
     * Allocates a buffer for a message to the peer. Up to {@link #maxPacketPayload()} bytes it comes from a slab, which
     * is cheap. A longer buffer is in memory that the peer will READ. Allocating the first buffer of a size registers
     * memory, which blocks. On a thread that runs the event loop no memory is registered. Such a message is written to
     * unregistered memory and copied before it is sent.
     *
     * @param capacityBytes payload bytes it must hold
     * @return a buffer of at least that capacity, owned by the caller until it is sent or closed
     * @throws RdmaMessageTooLargeException if the capacity exceeds {@link #maxMessageBytes()}
     */
    MessageBuffer allocate(int capacityBytes);

    /**
     * Returns the longest payload that fits one packet.
     *
     * @return bytes
     */
    int maxPacketPayload();

    /**
     * Returns the longest message that the peers agreed on.
     *
     * @return bytes
     */
    int maxMessageBytes();
}
