package io.rdmarpc.service.codec.type;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.message.MessageAllocator;
import io.rdmarpc.service.RdmaSerializationException;
import io.rdmarpc.service.contract.ServiceMethod;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Methods whose only argument, or whose result, is a {@link MessageBuffer}. The buffer is the message, without a
 * serializer. A message that exceeds a packet is READ by the peer's NIC from the buffer.
 *
 * <pre>
 *   client                              server
 *   allocates and fills the argument  --call--&gt;    reads it until the response is sent, may close it before
 *   closes the result                 &lt;--result--  allocates and fills the result
 * </pre>
 */
public final class WholeMessage {

    private WholeMessage() {}

    public static boolean isArgumentOf(ServiceMethod method) {
        Class<?>[] declared = method.declaration().getParameterTypes();
        return !method.streaming() && declared.length == 1 && declared[0] == MessageBuffer.class;
    }

    public static boolean isResultOf(ServiceMethod method) {
        return !method.streaming() && method.result().toClass() == MessageBuffer.class;
    }

    /** Returns the buffer, which must be open. */
    public static MessageBuffer of(@Nullable Object value, String place) {
        if (!(value instanceof MessageBuffer buffer) || !buffer.isOpen()) {
            throw new RdmaSerializationException(
                    "cannot write " + place + ": "
                            + (value == null ? "the buffer is null" : "the buffer was closed or sent")
                            + "; allocate one with MessageBuffers",
                    null);
        }
        return buffer;
    }

    /** Copies the buffer after leading bytes, and closes it. */
    public static MessageBuffer moved(MessageBuffer buffer, MessageAllocator allocator, int freeBytes) {
        try (buffer) {
            int length = buffer.length();
            MessageBuffer other = allocator.allocate(freeBytes + length);
            MemorySegment.copy(buffer.segment(), 0, other.segment(), freeBytes, length);
            other.length(freeBytes + length);
            return other;
        }
    }

    /** Returns the message as a buffer, which owns the message. */
    public static MessageBuffer received(InboundMessage message, int offset) {
        return MessageBuffer.received(message.payload().asSlice(offset), message::close);
    }
}
