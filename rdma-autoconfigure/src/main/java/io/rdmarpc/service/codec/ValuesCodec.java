package io.rdmarpc.service.codec;

import com.esotericsoftware.kryo.KryoException;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.memory.OutOfRegisteredMemoryException;
import io.rdmarpc.rpc.InboundMessage;
import io.rdmarpc.rpc.MessageAllocator;
import io.rdmarpc.rpc.RdmaBackpressureException;
import io.rdmarpc.rpc.RpcException;
import io.rdmarpc.rpc.RpcStatus;
import io.rdmarpc.service.RdmaSerializationException;
import io.rdmarpc.verbs.RdmaException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads the values of one message: the arguments of a method, or its result. Any thread.
 *
 * <p>A Kryo that threw is dropped: what it knew about the value it was in would mix into the next one.
 */
final class ValuesCodec {

    private static final @Nullable Object[] NO_VALUES = {};

    private final String place;
    private final KryoPool pool;
    private final ValueSlot[] slots;

    // A guess that threads may overwrite for each other; a wrong one costs a copy.
    private int lastLengthBytes;

    ValuesCodec(String place, KryoPool pool, List<ValueSlot> slots) {
        this.place = place;
        this.pool = pool;
        this.slots = slots.toArray(ValueSlot[]::new);
    }

    MessageBuffer encode(MessageAllocator allocator, @Nullable Object @Nullable [] values) {
        KryoCoder coder = pool.acquire();
        MessageOutput output = coder.output();
        try {
            output.begin(allocator, firstCapacity(allocator));
            for (int i = 0; i < slots.length; i++) {
                slots[i].write(coder.kryo(), output, values == null ? null : values[i]);
            }
        } catch (RuntimeException | StackOverflowError e) {
            output.abandon();
            throw failure("cannot write ", e);
        }
        MessageBuffer message = output.finish();
        lastLengthBytes = message.length();
        pool.release(coder);
        return message;
    }

    /** One packet, or what the last message needed when that was more; a little over, for the next is seldom the same. */
    private int firstCapacity(MessageAllocator allocator) {
        int packet = allocator.maxPacketPayload();
        long last = lastLengthBytes;
        return last <= packet ? packet : (int) Math.min(allocator.maxMessageBytes(), last + last / 8);
    }

    @Nullable
    Object[] decode(InboundMessage message) {
        if (slots.length == 0) {
            return NO_VALUES;
        }
        KryoCoder coder = pool.acquire();
        MessageInput input = coder.input();
        @Nullable Object[] values = new @Nullable Object[slots.length];
        try {
            input.begin(message);
            for (int i = 0; i < slots.length; i++) {
                values[i] = slots[i].read(coder.kryo(), input);
            }
            requireEnd(input);
        } catch (RuntimeException | StackOverflowError e) {
            throw failure("cannot read ", e);
        }
        input.letGo();
        pool.release(coder);
        return values;
    }

    private static void requireEnd(MessageInput input) {
        if (input.remaining() != 0) {
            throw new KryoException("the message has " + input.remaining() + " bytes too many");
        }
    }

    private RpcException failure(String what, Throwable e) {
        String message = what + place + ": " + words(e);
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            switch (cause) {
                case RpcException known -> {
                    return known;
                }
                case OutOfRegisteredMemoryException _ -> {
                    return new RdmaBackpressureException(message, e);
                }
                case RdmaException _ -> {
                    return new RpcException(RpcStatus.INTERNAL, message, e);
                }
                default -> {}
            }
        }
        return new RdmaSerializationException(message, e);
    }

    private static String words(Throwable e) {
        if (e instanceof StackOverflowError) {
            return "the value is nested too deeply";
        }
        String message = e.getMessage();
        return message == null ? e.getClass().getName() : message;
    }
}
