package io.rdmarpc.service.codec;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.memory.RdmaMemoryExhaustedException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.rpc.error.RdmaBackpressureException;
import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.message.MessageAllocator;
import io.rdmarpc.service.RdmaSerializationException;
import io.rdmarpc.verbs.error.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads the values of one kind of message: the arguments of a method, or its result. Any thread.
 *
 * <p>A coder that threw is dropped: what it knew about the value it was in would mix into the next one. One that only had no
 * room to write, or met a message over its budget, is used again where it can forget the message.
 */
final class MessageCodec {

    private static final @Nullable Object[] NO_VALUES = {};

    private final MessageShape shape;
    private final CoderPool pool;
    private final int count;

    // A guess that threads may overwrite for each other; a wrong one costs a copy.
    private int lastLengthBytes;

    MessageCodec(MessageShape shape, CoderPool pool) {
        this.shape = shape;
        this.pool = pool;
        this.count = shape.types().size();
    }

    /** Leaves bytes free in front, for the caller to fill. */
    MessageBuffer encode(MessageAllocator allocator, int freeBytes, @Nullable Object @Nullable [] values) {
        return encode(pool.acquire(), allocator, freeBytes, values == null ? NO_VALUES : values);
    }

    /** The same for a message of one value, or of none. */
    MessageBuffer encodeOne(MessageAllocator allocator, int freeBytes, @Nullable Object value) {
        return encode(pool.acquire(), allocator, freeBytes, new @Nullable Object[] {value});
    }

    private MessageBuffer encode(
            CoderPool.Entry entry, MessageAllocator allocator, int freeBytes, @Nullable Object[] values) {
        MessageOutput output = entry.output;
        MessageBuffer message;
        try {
            output.begin(allocator, freeBytes, firstCapacity(allocator));
            if (count > 0) {
                entry.coder.write(shape, values, output);
            }
            message = output.finish();
        } catch (Exception | StackOverflowError e) {
            output.abandon();
            RdmaRpcException failure = failure("cannot write ", e);
            releaseAfter(failure, entry);
            throw failure;
        } catch (Throwable e) {
            output.abandon();
            pool.discard(entry);
            throw e;
        }
        lastLengthBytes = message.length();
        pool.release(entry);
        return message;
    }

    /** What was wrong with a value may be in the coder's way still; a lack of room is not. */
    private void releaseAfter(RdmaRpcException failure, CoderPool.Entry entry) {
        boolean room = failure instanceof RdmaBackpressureException || failure instanceof RdmaMessageTooLargeException;
        if (room && entry.coder.recover()) {
            pool.release(entry);
        } else {
            pool.discard(entry);
        }
    }

    /** One packet, or what the last message needed when that was more; a little over, for the next is seldom the same. */
    private int firstCapacity(MessageAllocator allocator) {
        int packet = allocator.maxPacketPayload();
        long last = lastLengthBytes;
        return last <= packet ? packet : (int) Math.min(allocator.maxMessageBytes(), last + last / 8);
    }

    /** Reads behind bytes in front that are someone else's. */
    @Nullable
    Object[] decode(InboundMessage message, int offset) {
        @Nullable Object[] values = count == 0 ? NO_VALUES : new @Nullable Object[count];
        decode(message, offset, values);
        return values;
    }

    /** The same for a message of one value, or of none, which is null then. */
    @Nullable
    Object decodeOne(InboundMessage message, int offset) {
        @Nullable Object[] values = new @Nullable Object[1];
        decode(message, offset, values);
        return values[0];
    }

    private void decode(InboundMessage message, int offset, @Nullable Object[] values) {
        CoderPool.Entry entry = pool.acquire();
        MessageInput input = entry.input;
        boolean isReusable = false;
        try {
            input.begin(message, offset);
            if (count > 0) {
                entry.coder.read(shape, input, values);
            }
            requireEnd(input);
            input.release();
            isReusable = true;
        } catch (Exception | StackOverflowError e) {
            isReusable = isOverBudget(e) && entry.coder.recover();
            input.release();
            throw failure("cannot read ", e);
        } finally {
            if (isReusable) {
                pool.release(entry);
            } else {
                pool.discard(entry);
            }
        }
    }

    /** A peer that sends too much must not also make this side build its coders anew. */
    private static boolean isOverBudget(Throwable e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof RdmaMessageBudgetException) {
                return true;
            }
        }
        return false;
    }

    private static void requireEnd(MessageInput input) {
        if (input.remaining() != 0) {
            throw new IllegalArgumentException("the message has " + input.remaining() + " bytes too many");
        }
    }

    private RdmaRpcException failure(String what, Throwable e) {
        String message = what + shape.place() + ": " + words(e);
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            switch (cause) {
                case RdmaRpcException known -> {
                    return known;
                }
                case RdmaMemoryExhaustedException _ -> {
                    return new RdmaBackpressureException(message, e);
                }
                case RdmaRemoteMemoryException wrong
                when !wrong.reason().isTemporary() -> {
                    // Bytes that are no token, or a region that is not to be sent.
                    return new RdmaSerializationException(message, e);
                }
                case RdmaException _ -> {
                    return new RdmaRpcException(RpcStatus.INTERNAL, message, e);
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
