package io.rdmarpc.rpc;

import java.lang.foreign.MemorySegment;

/**
 * A received message, read in place: a packet in the receive ring, a buffer that a READ filled, or the sender's own memory on this
 * host. Closing gives the memory back; a segment used after that shows other bytes or throws {@link IllegalStateException}, but
 * never crashes. One thread at a time; closing from any.
 */
public interface InboundMessage extends AutoCloseable {

    /**
     * Returns the payload.
     *
     * @return a read-only view of {@link #length()} bytes, valid until {@link #close()}
     */
    MemorySegment payload();

    /**
     * Returns the memory that the payload is a part of: the same object for many messages, so that who remembers it need not
     * store it anew for each. What is around the payload is not the message's.
     *
     * @return a read-only view, valid until {@link #close()}
     */
    default MemorySegment memory() {
        return payload();
    }

    /**
     * Returns where the payload begins.
     *
     * @return byte offset in {@link #memory()}
     */
    default long offset() {
        return 0;
    }

    /**
     * Returns the payload's length.
     *
     * @return bytes
     */
    int length();

    /** Gives the memory back. A second call does nothing. */
    @Override
    void close();
}
