package io.rdmarpc.service.codec;

import org.jspecify.annotations.Nullable;

/**
 * Writes and reads the messages of one service. Used by one thread at a time.
 *
 * <p>The caller receives any exception as a {@link io.rdmarpc.service.RdmaSerializationException} with the method's
 * name, except an {@link io.rdmarpc.rpc.error.RdmaRpcException}, which is not wrapped.
 */
public interface MessageCoder {

    /**
     * Writes the values of a message.
     *
     * @param shape the kind of message
     * @param values the values, as many as the shape has types
     * @param output the output
     * @throws Exception if a value cannot be written
     */
    void write(MessageShape shape, @Nullable Object[] values, MessageOutput output) throws Exception;

    /**
     * Reads the values of a message. The bytes come from another process and are untrusted. Compare lengths in the
     * message with the remaining bytes before you allocate memory.
     *
     * @param shape the kind of message
     * @param input the input, which must be read to its end
     * @param values receives the values, as many as the shape has types
     * @throws Exception if the bytes do not match the shape
     */
    void read(MessageShape shape, MessageInput input, @Nullable Object[] values) throws Exception;

    /**
     * Discards a message after an incomplete write or read. A write is incomplete if its memory did not suffice or
     * the message became too long. A read is incomplete if the message exceeded a limit. A server under memory
     * pressure should not have to create new coders.
     *
     * @return true if no state of the message remains; if false, the coder is discarded
     */
    default boolean recover() {
        return false;
    }
}
