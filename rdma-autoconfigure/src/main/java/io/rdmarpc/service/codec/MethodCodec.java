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
 * Encodes and decodes the arguments and the result of one method. Messages are written to registered memory and read
 * in place. Thread-safe.
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
     * Returns whether the only argument is the message itself, as a {@link MessageBuffer}.
     *
     * @return true if the decoded argument owns the message
     */
    public boolean argumentIsMessage() {
        return argumentIsMessage;
    }

    /**
     * Returns whether the arguments may contain memory regions, according to their types. The first region of a
     * session waits for a memory connection.
     *
     * @return true if {@link #encodeArguments(RpcSession, MessageAllocator, Object[])} may wait
     */
    public boolean takesRegions() {
        return takesRegions;
    }

    /**
     * Encodes the arguments of a call.
     *
     * @param allocator allocator of the message
     * @param values the arguments, null for none
     * @return the message, owned by the caller
     * @throws RdmaSerializationException if an argument cannot be encoded
     * @throws RdmaRpcException if the message is too long
     */
    public MessageBuffer encodeArguments(MessageAllocator allocator, @Nullable Object @Nullable [] values) {
        return encodeArguments(allocator, 0, values);
    }

    /**
     * Encodes the arguments of a call on a session.
     *
     * @param session the session of the call
     * @param allocator allocator of the message; the session itself if no bytes precede the arguments
     * @param values the arguments, null for none
     * @return the message, owned by the caller
     * @throws RdmaSerializationException if an argument cannot be encoded
     * @throws RdmaRpcException if the message is too long
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
     * Encodes the arguments of a call after bytes of another format.
     *
     * @param allocator allocator of the message
     * @param freeBytes number of leading bytes that the caller fills
     * @param values the arguments, null for none
     * @return the message, owned by the caller; its length includes the free bytes
     * @throws RdmaSerializationException if an argument cannot be encoded
     * @throws RdmaRpcException if the message is too long
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
     * Decodes the arguments of a call.
     *
     * @param message the message, which remains owned by the caller
     * @return the arguments
     * @throws RdmaSerializationException if the message does not match the contract
     */
    public @Nullable Object[] decodeArguments(InboundMessage message) {
        return decodeArguments(message, 0);
    }

    /**
     * Decodes the arguments of a call after bytes of another format.
     *
     * @param message the message, which remains owned by the caller unless {@link #argumentIsMessage}
     * @param offset number of leading bytes that are not part of the arguments
     * @return the arguments
     * @throws RdmaSerializationException if the message does not match the contract
     */
    public @Nullable Object[] decodeArguments(InboundMessage message, int offset) {
        return argumentIsMessage
                ? new @Nullable Object[] {WholeMessage.received(message, offset)}
                : arguments.decode(message, offset);
    }

    /**
     * Encodes a result.
     *
     * @param allocator allocator of the message
     * @param value the result, ignored if the method returns nothing
     * @return the message, owned by the caller
     * @throws RdmaSerializationException if it cannot be encoded
     * @throws RdmaRpcException if the message is too long
     */
    public MessageBuffer encodeResult(MessageAllocator allocator, @Nullable Object value) {
        return failures.isEmpty()
                ? encodeResult(allocator, 0, value)
                : FailureCodec.markedAsResult(encodeResult(allocator, FailureCodec.RESULT_HEAD, value));
    }

    /**
     * Encodes an exception with its details.
     *
     * @param allocator allocator of the message
     * @param status status of the call
     * @param text message for the caller
     * @param thrown the exception of the method
     * @return the message, owned by the caller; null if the method declares no details for the exception
     * @throws RdmaSerializationException if the details cannot be encoded
     * @throws RdmaRpcException if the message is too long
     */
    public @Nullable MessageBuffer encodeFailure(
            MessageAllocator allocator, RpcStatus status, String text, Throwable thrown) {
        return failures.isEmpty() ? null : failures.encode(allocator, status, text, thrown);
    }

    /**
     * Encodes a result after bytes of another format.
     *
     * @param allocator allocator of the message
     * @param freeBytes number of leading bytes that the caller fills
     * @param value the result, ignored if the method returns nothing
     * @return the message, owned by the caller; its length includes the free bytes
     * @throws RdmaSerializationException if it cannot be encoded
     * @throws RdmaRpcException if the message is too long
     */
    public MessageBuffer encodeResult(MessageAllocator allocator, int freeBytes, @Nullable Object value) {
        return resultIsMessage
                ? behind(freeBytes, WholeMessage.of(value, place), allocator)
                : result.encodeOne(allocator, freeBytes, value);
    }

    /**
     * Returns whether the result is the message itself, as a {@link MessageBuffer}.
     *
     * @return true if {@link #takeMessage} returns the result
     */
    public boolean resultIsMessage() {
        return resultIsMessage;
    }

    /**
     * Returns the result of a method whose {@linkplain #resultIsMessage result is the message}.
     *
     * @param message the message, owned by the result, which closes it
     * @return the message for reading, owned by the caller
     */
    public MessageBuffer takeMessage(InboundMessage message) {
        return WholeMessage.received(message, 0);
    }

    /**
     * Decodes the result of a call on a session.
     *
     * @param session the session of the call, or null if unknown
     * @param message the message, which this method closes
     * @return the result, null if the method returns nothing
     * @throws RdmaSerializationException if the message does not match the contract
     */
    public @Nullable Object takeResult(@Nullable RpcSession session, InboundMessage message) {
        try (message) {
            return returnsRegions && session != null
                    ? RegionScope.<@Nullable Object>over(session, () -> decodeResult(message))
                    : decodeResult(message);
        }
    }

    /**
     * Decodes a result that is not a {@link MessageBuffer}.
     *
     * @param message the message, which remains owned by the caller
     * @return the result, null if the method returns nothing
     * @throws io.rdmarpc.service.RdmaDetailedRemoteException if the message is a failure with details
     * @throws RdmaSerializationException if the message does not match the contract
     */
    public @Nullable Object decodeResult(InboundMessage message) {
        if (failures.isEmpty()) {
            return decodeResult(message, 0);
        }
        failures.throwFailure(message);
        return decodeResult(message, FailureCodec.RESULT_HEAD);
    }

    /**
     * Decodes a result that is not a {@link MessageBuffer}, after bytes of another format.
     *
     * @param message the message, which remains owned by the caller
     * @param offset number of leading bytes that are not part of the result
     * @return the result, null if the method returns nothing
     * @throws RdmaSerializationException if the message does not match the contract
     */
    public @Nullable Object decodeResult(InboundMessage message, int offset) {
        return result.decodeOne(message, offset);
    }
}
