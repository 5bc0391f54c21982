package io.rdmarpc.service.codec;

import org.jspecify.annotations.Nullable;

/**
 * Writes and reads the messages of one service. One thread at a time.
 *
 * <p>Whatever it throws reaches the caller as a {@link io.rdmarpc.service.RdmaSerializationException} that names the method;
 * an {@link io.rdmarpc.rpc.error.RdmaRpcException} as it is.
 */
public interface MessageCoder {

    /**
     * Writes the values of a message.
     *
     * @param shape which message of the service
     * @param values as many values as the shape has types
     * @param output where to write
     * @throws Exception when a value cannot be written
     */
    void write(MessageShape shape, @Nullable Object[] values, MessageOutput output) throws Exception;

    /**
     * Reads the values of a message. The bytes come from another process and may be anything: lengths in them must be
     * compared with what is left before memory is allocated.
     *
     * @param shape which message of the service
     * @param input where to read; must be read to its end
     * @param values takes as many values as the shape has types
     * @throws Exception when the bytes are not what the shape says
     */
    void read(MessageShape shape, MessageInput input, @Nullable Object[] values) throws Exception;

    /**
     * Forgets the message that could not be written to its end because the memory for it did not suffice, or because it
     * became too long, or that was not read to its end because it costs too much: a server that has no memory left must not
     * also make its coders anew.
     *
     * @return true when nothing of it can get into the next message; else the coder is dropped
     */
    default boolean recover() {
        return false;
    }
}
