package io.rdmarpc.rpc.message;

import java.lang.foreign.MemorySegment;

/**
 * A received message that is read in place. It is in the receive ring, in a buffer that a READ filled, or in the
 * sender's own memory on this host. Closing it releases the memory. A segment that is used afterwards shows other bytes
 * or throws {@link IllegalStateException}; it never crashes the JVM. One thread at a time uses it; any thread may close
 * it.
 */
public interface InboundMessage extends MessageView, AutoCloseable {

    /**
     * Returns the payload.
     *
     * @return a read-only view of {@link #length()} bytes, valid until {@link #close()}
     */
    @Override
    MemorySegment payload();

    /** {@inheritDoc} If the message does not share its memory with others, this is the payload itself. */
    @Override
    default MemorySegment memory() {
        return payload();
    }

    @Override
    default long offset() {
        return 0;
    }

    /** Releases the memory. A second call does nothing. */
    @Override
    void close();
}
