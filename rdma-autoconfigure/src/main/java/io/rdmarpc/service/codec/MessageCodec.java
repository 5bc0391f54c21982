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
 * Encodes and decodes the values of one kind of message: the arguments of a method, or its result. Thread-safe.
 *
 * <p>A coder that threw an exception is discarded, because its remaining state could affect the next message. It is
 * reused if only the memory did not suffice, or the message exceeded a limit, and it can discard the message.
 */
final class MessageCodec {

    private static final @Nullable Object[] NO_VALUES = {};

    private final MessageShape shape;
    private final CoderPool pool;
    private final int count;

    MessageCodec(MessageShape shape, CoderPool pool) {
        this.shape = shape;
        this.pool = pool;
        this.count = shape.types().size();
    }

    /** Encodes values after free bytes, which the caller fills. */
    MessageBuffer encode(MessageAllocator allocator, int freeBytes, @Nullable Object @Nullable [] values) {
        return encode(pool.acquire(), allocator, freeBytes, values == null ? NO_VALUES : values);
    }

    /** Encodes a message of at most one value. */
    MessageBuffer encodeOne(MessageAllocator allocator, int freeBytes, @Nullable Object value) {
        return encode(pool.acquire(), allocator, freeBytes, new @Nullable Object[] {value});
    }

    private MessageBuffer encode(
            CoderPool.Entry entry, MessageAllocator allocator, int freeBytes, @Nullable Object[] values) {
        MessageOutput output = entry.output;
        MessageBuffer message;
        try {
            output.begin(allocator, freeBytes, firstCapacity(allocator, entry));
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
        entry.lastLength(shape, message.length());
        pool.release(entry);
        return message;
    }

    /** Reuses the coder only if the memory did not suffice. After a failure of a value, its state is unknown. */
    private void releaseAfter(RdmaRpcException failure, CoderPool.Entry entry) {
        boolean room = failure instanceof RdmaBackpressureException || failure instanceof RdmaMessageTooLargeException;
        if (room && entry.coder.recover()) {
            pool.release(entry);
        } else {
            pool.discard(entry);
        }
    }

    /** Returns the initial capacity: one packet, or the length of the last message plus an eighth if that is more. */
    private int firstCapacity(MessageAllocator allocator, CoderPool.Entry entry) {
        int packet = allocator.maxPacketPayload();
        long last = entry.lastLength(shape);
        return last <= packet ? packet : (int) Math.min(allocator.maxMessageBytes(), last + last / 8);
    }

    /** Decodes values after leading bytes of another format. */
    @Nullable
    Object[] decode(InboundMessage message, int offset) {
        @Nullable Object[] values = count == 0 ? NO_VALUES : new @Nullable Object[count];
        decode(message, offset, values);
        return values;
    }

    /** Decodes a message of at most one value. Returns null for none. */
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

    /**
     * Returns whether a limit was exceeded. A peer that sends too much must not make this process create new coders.
     */
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
            throw new IllegalArgumentException("the message has " + input.remaining() + " bytes after its last value");
        }
    }

    private RdmaRpcException failure(String what, Throwable e) {
        String message = what + shape.place() + ": " + describe(e);
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
                    // The bytes are not a token, or the region must not be sent.
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

    private static String describe(Throwable e) {
        if (e instanceof StackOverflowError) {
            return "the value is nested too deeply";
        }
        String message = e.getMessage();
        return message == null ? e.getClass().getName() : message;
    }
}
