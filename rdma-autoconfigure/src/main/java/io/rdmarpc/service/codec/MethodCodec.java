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

    private final ValuesCodec arguments;
    private final ValuesCodec result;
    private final boolean returnsValue;

    MethodCodec(ValuesCodec arguments, ValuesCodec result, boolean returnsValue) {
        this.arguments = arguments;
        this.result = result;
        this.returnsValue = returnsValue;
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
        return arguments.encode(allocator, values);
    }

    /**
     * Reads the arguments of a call.
     *
     * @param message stays the caller's
     * @return the arguments
     * @throws RdmaSerializationException when the message is not what the contract says
     */
    public @Nullable Object[] decodeArguments(InboundMessage message) {
        return arguments.decode(message);
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
        return result.encode(allocator, new @Nullable Object[] {value});
    }

    /**
     * Reads a result.
     *
     * @param message stays the caller's
     * @return the result, null where the method returns nothing
     * @throws RdmaSerializationException when the message is not what the contract says
     */
    public @Nullable Object decodeResult(InboundMessage message) {
        @Nullable Object[] values = result.decode(message);
        return returnsValue ? values[0] : null;
    }
}
