package io.rdmarpc.service.codec.type;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.message.MessageAllocator;
import io.rdmarpc.service.RdmaSerializationException;
import io.rdmarpc.service.contract.ServiceMethod;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Methods whose only argument, or whose result, is a {@link MessageBuffer}: it is the message, and no serializer sees it. What
 * does not fit into a packet is read by the other side's NIC from where it was written.
 *
 * <pre>
 *   who calls                           who serves
 *   allocates and fills it  --call--&gt;   reads it until the method's answer is given, may close it before
 *   closes it               &lt;--result-- allocates and fills it
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

    /** Gives the buffer itself, which must be open. */
    public static MessageBuffer of(@Nullable Object value, String place) {
        if (!(value instanceof MessageBuffer buffer) || !buffer.isOpen()) {
            throw new RdmaSerializationException(
                    "cannot write " + place + ": "
                            + (value == null ? "null is no message" : "the buffer was closed or sent")
                            + "; allocate one by MessageBuffers",
                    null);
        }
        return buffer;
    }

    /** Where something else must be in front of it, it moves once. Closes the buffer. */
    public static MessageBuffer moved(MessageBuffer buffer, MessageAllocator allocator, int freeBytes) {
        try (buffer) {
            int length = buffer.length();
            MessageBuffer other = allocator.allocate(freeBytes + length);
            MemorySegment.copy(buffer.segment(), 0, other.segment(), freeBytes, length);
            other.length(freeBytes + length);
            return other;
        }
    }

    /** The message as a buffer, which owns it. */
    public static MessageBuffer received(InboundMessage message, int offset) {
        return MessageBuffer.received(message.payload().asSlice(offset), message::close);
    }
}
