package io.rdmarpc.rpc.message;

import java.lang.foreign.MemorySegment;

/**
 * A received message in place, described by numbers. Reading it with {@link #memory()} needs no object per message.
 */
public interface MessageView {

    /**
     * Returns the memory that holds the message, along with other messages.
     *
     * @return a read-only view, the same for many messages; use {@link #offset()} and {@link #length()}
     */
    MemorySegment memory();

    /**
     * Returns where the message starts.
     *
     * @return byte offset in {@link #memory()}
     */
    long offset();

    /**
     * Returns how long the message is.
     *
     * @return bytes
     */
    int length();

    /**
     * Returns the message alone, as a new object.
     *
     * @return a read-only view of {@link #length()} bytes
     */
    default MemorySegment payload() {
        return memory().asSlice(offset(), length());
    }
}
