package io.rdmarpc.service.codec;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.rpc.message.InboundMessage;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A message as it is read, where it arrived. One thread at a time. */
public final class MessageInput {

    private final int mostBytes;
    private final InputStream stream = new BufferStream();
    /** Stays for the next message, which most of the time is in the same: a reference that is stored costs a fence with G1. */
    private MemorySegment memory = MemorySegment.NULL;

    /** Where the message begins there. From here on it is the message's up to {@link #end}. */
    private long begin;

    private int at;
    private int end;
    /** Made when it is asked for; then its position is what counts. */
    private @Nullable ByteBuffer view;

    MessageInput(int mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** Starts to read a message, behind bytes at its front that are someone else's. */
    @SuppressWarnings({"ReferenceEquality", "MemorySegmentReferenceEquality"}) // that very view
    void begin(InboundMessage message, int offset) {
        int length = message.length() - offset;
        if (offset < 0 || length < 0) {
            throw new IllegalArgumentException(
                    "a message of " + message.length() + " bytes cannot be read from " + offset);
        }
        if (length > mostBytes) {
            throw new RdmaMessageTooLargeException("a message of " + length + " bytes arrived: " + mostBytes
                    + " is the limit here; raise rdma.serialization.max-size, or send less");
        }
        MemorySegment within = message.memory();
        if (memory != within) {
            memory = within;
        }
        begin = message.offset();
        at = offset;
        end = message.length();
        view = null;
    }

    /** Releases the message: nothing of it can be read any more. */
    void release() {
        at = 0;
        end = 0;
        view = null;
    }

    /**
     * Copies the next bytes.
     *
     * @param into where to
     * @param offset of the first byte there
     * @param most bytes
     * @return bytes that were copied, 0 at the end of the message
     */
    public int read(byte[] into, int offset, int most) {
        int some = Math.min(most, remaining());
        ByteBuffer seen = view;
        if (seen == null) {
            MemorySegment.copy(memory, JAVA_BYTE, begin + at, into, offset, some);
            at += some;
        } else {
            seen.get(into, offset, some);
        }
        return some;
    }

    /**
     * Takes bytes back that were read last.
     *
     * @param count bytes
     */
    public void unread(int count) {
        ByteBuffer seen = view;
        if (seen == null) {
            at -= count;
        } else {
            seen.position(seen.position() - count);
        }
    }

    /**
     * Returns where to read: big-endian, from its position to its limit. The bytes before its position are not the
     * message's.
     *
     * @return a read-only view, valid until the message was read
     */
    public ByteBuffer buffer() {
        ByteBuffer seen = view;
        if (seen == null) {
            seen = memory.asSlice(begin, end).asByteBuffer().position(at);
            view = seen;
        }
        return seen;
    }

    /**
     * Returns how much is left.
     *
     * @return bytes after the buffer's position
     */
    public int remaining() {
        ByteBuffer seen = view;
        return seen == null ? end - at : seen.remaining();
    }

    /**
     * Returns the rest as a stream, for those who read from one.
     *
     * @return a stream that ends with the message and whose close does nothing
     */
    public InputStream stream() {
        return stream;
    }

    private final class BufferStream extends InputStream {

        @Override
        public int read() {
            ByteBuffer rest = buffer();
            return rest.hasRemaining() ? rest.get() & 0xFF : -1;
        }

        @Override
        public int read(byte[] into, int offset, int count) {
            int some = MessageInput.this.read(into, offset, count);
            return some == 0 && count > 0 ? -1 : some;
        }

        @Override
        public int available() {
            return remaining();
        }
    }
}
