package io.rdmarpc.service.codec;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.rpc.message.InboundMessage;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** The input of a received message, read in place. Used by one thread at a time. */
@SuppressWarnings("unused") // only the size of the padding matters
public final class MessageInput extends MessageInputState {

    private final int maxBytes;
    private final InputStream stream = new BufferStream();
    // The padding behind the fields of the superclass, see LeadingPadding.
    private long padding0;
    private long padding1;
    private long padding2;
    private long padding3;
    private long padding4;
    private long padding5;
    private long padding6;
    private long padding7;
    private long padding8;
    private long padding9;
    private long padding10;
    private long padding11;
    private long padding12;
    private long padding13;
    private long padding14;
    private long padding15;

    MessageInput(int maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Begins to read a message after leading bytes of another format. */
    @SuppressWarnings({"ReferenceEquality", "MemorySegmentReferenceEquality"}) // segment identity
    void begin(InboundMessage message, int offset) {
        int length = message.length() - offset;
        if (offset < 0 || length < 0) {
            throw new IllegalArgumentException(
                    "invalid offset " + offset + " in a message of " + message.length() + " bytes");
        }
        if (length > maxBytes) {
            throw new RdmaMessageTooLargeException("a message of " + length + " bytes arrived, and the limit is "
                    + maxBytes + "; raise rdma.serialization.max-size, or send less");
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

    /** Releases the message, which cannot be read afterwards. */
    void release() {
        at = 0;
        end = 0;
        view = null;
    }

    /**
     * Copies the next bytes.
     *
     * @param into destination array
     * @param offset index of the first byte in the array
     * @param max maximum number of bytes
     * @return number of copied bytes, 0 at the end of the message
     */
    public int read(byte[] into, int offset, int max) {
        int some = Math.min(max, remaining());
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
     * Moves the position back over bytes that were just read.
     *
     * @param count number of bytes
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
     * Returns a view of the message: big-endian, from its position to its limit. Bytes before its position do not
     * belong to the message.
     *
     * @return a read-only view, valid until the message has been read
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
     * Returns the number of remaining bytes.
     *
     * @return bytes after the position
     */
    public int remaining() {
        ByteBuffer seen = view;
        return seen == null ? end - at : seen.remaining();
    }

    /**
     * Returns the remaining bytes as a stream.
     *
     * @return a stream that ends with the message and whose close has no effect
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
