package io.rdmarpc.rpc.message;

import java.lang.foreign.MemorySegment;

/**
 * A received message, read in place: a packet in the receive ring, a buffer that a READ filled, or the sender's own memory on this
 * host. Closing gives the memory back; a segment used after that shows other bytes or throws {@link IllegalStateException}, but
 * never crashes. One thread at a time; closing from any.
 */
public interface InboundMessage extends MessageView, AutoCloseable {

    /**
     * Returns the payload.
     *
     * @return a read-only view of {@link #length()} bytes, valid until {@link #close()}
     */
    @Override
    MemorySegment payload();

    /** {@inheritDoc} Of a message that does not share its memory with others it is the payload itself. */
    @Override
    default MemorySegment memory() {
        return payload();
    }

    @Override
    default long offset() {
        return 0;
    }

    /** Gives the memory back. A second call does nothing. */
    @Override
    void close();
}
