package io.rdmarpc.service.codec;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.InboundMessage;
import io.rdmarpc.rpc.MessageAllocator;
import io.rdmarpc.rpc.RpcException;
import io.rdmarpc.service.RdmaSerializationException;
import org.jspecify.annotations.Nullable;

/**
 * Turns the arguments and the result of one method into messages and back. Any thread. Messages are written straight into
 * registered memory and read where they lie.
 */
public final class MethodCodec {

    private final MessageCodec arguments;
    private final MessageCodec result;

    MethodCodec(MessageCodec arguments, MessageCodec result) {
        this.arguments = arguments;
        this.result = result;
    }

    /**
     * Writes the arguments of a call.
     *
     * @param allocator gives the memory
     * @param values the arguments, null for none
     * @return the message, owned by the caller
     * @throws RdmaSerializationException when one cannot be written
     * @throws RpcException when the message would be too long
     */
    public MessageBuffer encodeArguments(MessageAllocator allocator, @Nullable Object @Nullable [] values) {
        return arguments.encode(allocator, 0, values);
    }

    /**
     * Writes the arguments of a call behind a block of another kind.
     *
     * @param allocator gives the memory
     * @param freeBytes bytes at the front of the message that are left for the caller to fill
     * @param values the arguments, null for none
     * @return the message, owned by the caller; its length includes the free bytes
     * @throws RdmaSerializationException when one cannot be written
     * @throws RpcException when the message would be too long
     */
    public MessageBuffer encodeArguments(
            MessageAllocator allocator, int freeBytes, @Nullable Object @Nullable [] values) {
        return arguments.encode(allocator, freeBytes, values);
    }

    /**
     * Reads the arguments of a call.
     *
     * @param message stays the caller's
     * @return the arguments
     * @throws RdmaSerializationException when the message is not what the contract says
     */
    public @Nullable Object[] decodeArguments(InboundMessage message) {
        return arguments.decode(message, 0);
    }

    /**
     * Reads the arguments of a call behind a block of another kind.
     *
     * @param message stays the caller's
     * @param offset bytes at the front of the message that are not the arguments'
     * @return the arguments
     * @throws RdmaSerializationException when the message is not what the contract says
     */
    public @Nullable Object[] decodeArguments(InboundMessage message, int offset) {
        return arguments.decode(message, offset);
    }

    /**
     * Writes a result.
     *
     * @param allocator gives the memory
     * @param value the result, ignored where the method returns nothing
     * @return the message, owned by the caller
     * @throws RdmaSerializationException when it cannot be written
     * @throws RpcException when the message would be too long
     */
    public MessageBuffer encodeResult(MessageAllocator allocator, @Nullable Object value) {
        return encodeResult(allocator, 0, value);
    }

    /**
     * Writes a result behind a block of another kind.
     *
     * @param allocator gives the memory
     * @param freeBytes bytes at the front of the message that are left for the caller to fill
     * @param value the result, ignored where the method returns nothing
     * @return the message, owned by the caller; its length includes the free bytes
     * @throws RdmaSerializationException when it cannot be written
     * @throws RpcException when the message would be too long
     */
    public MessageBuffer encodeResult(MessageAllocator allocator, int freeBytes, @Nullable Object value) {
        return result.encodeOne(allocator, freeBytes, value);
    }

    /**
     * Reads a result.
     *
     * @param message stays the caller's
     * @return the result, null where the method returns nothing
     * @throws RdmaSerializationException when the message is not what the contract says
     */
    public @Nullable Object decodeResult(InboundMessage message) {
        return decodeResult(message, 0);
    }

    /**
     * Reads a result behind a block of another kind.
     *
     * @param message stays the caller's
     * @param offset bytes at the front of the message that are not the result's
     * @return the result, null where the method returns nothing
     * @throws RdmaSerializationException when the message is not what the contract says
     */
    public @Nullable Object decodeResult(InboundMessage message, int offset) {
        return result.decodeOne(message, offset);
    }
}
