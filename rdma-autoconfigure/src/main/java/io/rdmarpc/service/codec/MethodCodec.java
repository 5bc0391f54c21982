package io.rdmarpc.service.codec;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.message.MessageAllocator;
import io.rdmarpc.service.RdmaSerializationException;
import io.rdmarpc.service.codec.type.RegionTypes;
import io.rdmarpc.service.codec.type.WholeMessage;
import io.rdmarpc.service.contract.ServiceMethod;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Turns the arguments and the result of one method into messages and back. Any thread. Messages are written into
 * registered memory and read where they lie.
 */
public final class MethodCodec {

    private final MessageCodec arguments;
    private final MessageCodec result;
    private final FailureCodec failures;
    private final boolean argumentIsMessage;
    private final boolean resultIsMessage;
    private final boolean takesRegions;
    private final boolean returnsRegions;
    private final String place;

    MethodCodec(ServiceMethod method, MessageCodec arguments, MessageCodec result, FailureCodec failures) {
        this.arguments = arguments;
        this.result = result;
        this.failures = failures;
        this.argumentIsMessage = WholeMessage.isArgumentOf(method);
        this.resultIsMessage = WholeMessage.isResultOf(method);
        this.takesRegions = RegionTypes.areIn(method.parameters());
        this.returnsRegions = RegionTypes.areIn(List.of(method.result()));
        this.place = "a message of " + method;
    }

    /**
     * Tells whether the only argument is the message, as a {@link MessageBuffer}.
     *
     * @return true where the message belongs to what is read from it
     */
    public boolean argumentIsMessage() {
        return argumentIsMessage;
    }

    /**
     * Tells whether regions of memory can be among the arguments, as far as the types say. To send the first one over a
     * session waits for a connection about memory.
     *
     * @return true where {@link #encodeArguments(RpcSession, MessageAllocator, Object[])} may wait
     */
    public boolean takesRegions() {
        return takesRegions;
    }

    /**
     * Writes the arguments of a call.
     *
     * @param allocator gives the memory
     * @param values the arguments, null for none
     * @return the message, owned by the caller
     * @throws RdmaSerializationException when one cannot be written
     * @throws RdmaRpcException when the message would be too long
     */
    public MessageBuffer encodeArguments(MessageAllocator allocator, @Nullable Object @Nullable [] values) {
        return encodeArguments(allocator, 0, values);
    }

    /**
     * Writes the arguments of a call over a session.
     *
     * @param session the one that the call goes over
     * @param allocator gives the memory; the session itself where nothing is in front of the arguments
     * @param values the arguments, null for none
     * @return the message, owned by the caller
     * @throws RdmaSerializationException when one cannot be written
     * @throws RdmaRpcException when the message would be too long
     */
    public MessageBuffer encodeArguments(
            RpcSession session, MessageAllocator allocator, @Nullable Object @Nullable [] values) {
        if (argumentIsMessage) {
            MessageBuffer message = wholeArgument(values);
            return allocator.equals(session) ? message : WholeMessage.moved(message, allocator, 0);
        }
        return takesRegions
                ? RegionScope.over(session, () -> encodeArguments(allocator, 0, values))
                : encodeArguments(allocator, 0, values);
    }

    /**
     * Writes the arguments of a call behind a block of another kind.
     *
     * @param allocator gives the memory
     * @param freeBytes bytes at the front of the message that are left for the caller to fill
     * @param values the arguments, null for none
     * @return the message, owned by the caller; its length includes the free bytes
     * @throws RdmaSerializationException when one cannot be written
     * @throws RdmaRpcException when the message would be too long
     */
    public MessageBuffer encodeArguments(
            MessageAllocator allocator, int freeBytes, @Nullable Object @Nullable [] values) {
        return argumentIsMessage
                ? behind(freeBytes, wholeArgument(values), allocator)
                : arguments.encode(allocator, freeBytes, values);
    }

    private MessageBuffer wholeArgument(@Nullable Object @Nullable [] values) {
        return WholeMessage.of(values == null ? null : values[0], place);
    }

    private static MessageBuffer behind(int freeBytes, MessageBuffer message, MessageAllocator allocator) {
        return freeBytes == 0 ? message : WholeMessage.moved(message, allocator, freeBytes);
    }

    /**
     * Reads the arguments of a call.
     *
     * @param message stays the caller's
     * @return the arguments
     * @throws RdmaSerializationException when the message is not what the contract says
     */
    public @Nullable Object[] decodeArguments(InboundMessage message) {
        return decodeArguments(message, 0);
    }

    /**
     * Reads the arguments of a call behind a block of another kind.
     *
     * @param message stays the caller's, unless {@link #argumentIsMessage}
     * @param offset bytes at the front of the message that are not the arguments'
     * @return the arguments
     * @throws RdmaSerializationException when the message is not what the contract says
     */
    public @Nullable Object[] decodeArguments(InboundMessage message, int offset) {
        return argumentIsMessage
                ? new @Nullable Object[] {WholeMessage.received(message, offset)}
                : arguments.decode(message, offset);
    }

    /**
     * Writes a result.
     *
     * @param allocator gives the memory
     * @param value the result, ignored where the method returns nothing
     * @return the message, owned by the caller
     * @throws RdmaSerializationException when it cannot be written
     * @throws RdmaRpcException when the message would be too long
     */
    public MessageBuffer encodeResult(MessageAllocator allocator, @Nullable Object value) {
        return failures.isEmpty()
                ? encodeResult(allocator, 0, value)
                : FailureCodec.markedAsResult(encodeResult(allocator, FailureCodec.RESULT_HEAD, value));
    }

    /**
     * Writes an exception with its details.
     *
     * @param allocator gives the memory
     * @param status how the call ends
     * @param words for the caller
     * @param thrown what the method threw
     * @return the message, owned by the caller; null when the exception has no details that travel
     * @throws RdmaSerializationException when the details cannot be written
     * @throws RdmaRpcException when the message would be too long
     */
    public @Nullable MessageBuffer encodeFailure(
            MessageAllocator allocator, RpcStatus status, String words, Throwable thrown) {
        return failures.isEmpty() ? null : failures.encode(allocator, status, words, thrown);
    }

    /**
     * Writes a result behind a block of another kind.
     *
     * @param allocator gives the memory
     * @param freeBytes bytes at the front of the message that are left for the caller to fill
     * @param value the result, ignored where the method returns nothing
     * @return the message, owned by the caller; its length includes the free bytes
     * @throws RdmaSerializationException when it cannot be written
     * @throws RdmaRpcException when the message would be too long
     */
    public MessageBuffer encodeResult(MessageAllocator allocator, int freeBytes, @Nullable Object value) {
        return resultIsMessage
                ? behind(freeBytes, WholeMessage.of(value, place), allocator)
                : result.encodeOne(allocator, freeBytes, value);
    }

    /**
     * Tells whether the result is the message, as a {@link MessageBuffer}.
     *
     * @return true where {@link #takeMessage} gives the result
     */
    public boolean resultIsMessage() {
        return resultIsMessage;
    }

    /**
     * Makes the result of a method whose {@linkplain #resultIsMessage result is the message}.
     *
     * @param message becomes the result's, which closes it
     * @return the message, for reading; owned by the caller
     */
    public MessageBuffer takeMessage(InboundMessage message) {
        return WholeMessage.received(message, 0);
    }

    /**
     * Reads the result of a call over a session.
     *
     * @param session the one that the call went over, null when that is not known
     * @param message closed by the codec
     * @return the result, null where the method returns nothing
     * @throws RdmaSerializationException when the message is not what the contract says
     */
    public @Nullable Object takeResult(@Nullable RpcSession session, InboundMessage message) {
        try (message) {
            return returnsRegions && session != null
                    ? RegionScope.<@Nullable Object>over(session, () -> decodeResult(message))
                    : decodeResult(message);
        }
    }

    /**
     * Reads a result that is not a {@link MessageBuffer}.
     *
     * @param message stays the caller's
     * @return the result, null where the method returns nothing
     * @throws io.rdmarpc.service.RdmaDetailedRemoteException when the message is a failure with details
     * @throws RdmaSerializationException when the message is not what the contract says
     */
    public @Nullable Object decodeResult(InboundMessage message) {
        if (failures.isEmpty()) {
            return decodeResult(message, 0);
        }
        failures.throwFailure(message);
        return decodeResult(message, FailureCodec.RESULT_HEAD);
    }

    /**
     * Reads a result that is not a {@link MessageBuffer} behind a block of another kind.
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
