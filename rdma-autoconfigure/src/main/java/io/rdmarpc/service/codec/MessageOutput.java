package io.rdmarpc.service.codec;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.rpc.message.MessageAllocator;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message as it is written, in registered memory. The position of {@link #buffer()} is the end of what was written; when
 * no more fits, {@link #grow} moves the message to a larger block. Owns the block until the message is finished or
 * abandoned. One thread at a time.
 */
public final class MessageOutput {

    private static final ValueLayout.OfInt BIG_ENDIAN_INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final int mostBytes;
    private final OutputStream stream = new BufferStream();

    /** The last message's, which most of the time is the next one's: a reference that is stored costs a fence with G1. */
    private @Nullable MessageAllocator allocator;

    private @Nullable MessageBuffer message;
    private int at;
    private int capacity;
    /** Made when it is asked for; then its position is what counts. */
    private @Nullable ByteBuffer view;

    private int headBytes;

    MessageOutput(int mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** Starts a message whose first bytes are left free, for its owner to fill. */
    @SuppressWarnings("ReferenceEquality") // that very one
    void begin(MessageAllocator from, int freeBytes, int capacityBytes) {
        if (allocator != from) {
            allocator = from;
        }
        headBytes = freeBytes;
        use(from.allocate(Math.max(freeBytes, capacityBytes)), freeBytes);
    }

    private void use(MessageBuffer next, int position) {
        message = next;
        capacity = next.capacity();
        at = position;
        view = null;
    }

    /** Hands over the block with its final length. */
    MessageBuffer finish() {
        MessageBuffer finished = open();
        int length = position();
        if (length - headBytes > mostBytes) {
            throw tooLong();
        }
        finished.length(length);
        forget();
        return finished;
    }

    /** Gives the block back. */
    void abandon() {
        if (message != null) {
            message.close();
        }
        forget();
    }

    private void forget() {
        message = null;
        at = 0;
        capacity = 0;
        view = null;
    }

    private MessageBuffer open() {
        return Objects.requireNonNull(message, "no message begun");
    }

    /**
     * Returns where to write, big-endian, from its position on.
     *
     * @return a view of the block, valid until {@link #grow} or the end of the message
     */
    public ByteBuffer buffer() {
        ByteBuffer seen = view;
        if (seen == null) {
            seen = open().byteBuffer().position(at);
            view = seen;
        }
        return seen;
    }

    /**
     * Returns where the next byte goes.
     *
     * @return bytes from the start of the block
     */
    public int position() {
        ByteBuffer seen = view;
        return seen == null ? at : seen.position();
    }

    private void advance(int count) {
        ByteBuffer seen = view;
        if (seen == null) {
            at += count;
        } else {
            seen.position(seen.position() + count);
        }
    }

    /**
     * Appends bytes of an array, and moves to a larger block if needed.
     *
     * @param from the array
     * @param offset of the first byte
     * @param count bytes
     */
    public void write(byte[] from, int offset, int count) {
        room(count);
        MemorySegment.copy(from, offset, open().segment(), JAVA_BYTE, position(), count);
        advance(count);
    }

    /**
     * Appends a segment.
     *
     * @param from less than 2 GiB
     */
    public void write(MemorySegment from) {
        int count = (int) from.byteSize();
        room(count);
        MemorySegment.copy(from, 0, open().segment(), position(), count);
        advance(count);
    }

    /**
     * Sets four bytes that were written before, big-endian.
     *
     * @param position as {@link #position()} returned it before the first of them was written
     * @param value what they become
     */
    public void setInt(int position, int value) {
        open().segment().set(BIG_ENDIAN_INT, position, value);
    }

    /**
     * Makes room: where too little is left the message moves to a block that is twice as large, or as large as needed, or
     * as large as a message may be. What was written before the buffer's position is kept.
     *
     * @param requiredBytes bytes that must fit after the buffer's position
     * @return where to write on, with the same position
     * @throws RdmaMessageTooLargeException when the message would be longer than peers agreed on, or the settings allow
     */
    public ByteBuffer grow(int requiredBytes) {
        room(requiredBytes);
        return buffer();
    }

    private void room(int requiredBytes) {
        if (capacity - position() < requiredBytes) {
            moveTo(position() + (long) requiredBytes);
        }
    }

    private void moveTo(long neededBytes) {
        MessageAllocator from = Objects.requireNonNull(allocator, "no message begun");
        if (neededBytes > from.maxMessageBytes() || neededBytes - headBytes > mostBytes) {
            throw tooLong();
        }
        MessageBuffer full = open();
        int written = position();
        long wanted = Math.max(neededBytes, 2L * capacity);
        MessageBuffer larger = from.allocate((int) Math.min(wanted, from.maxMessageBytes()));
        MemorySegment.copy(full.segment(), 0, larger.segment(), 0, written);
        use(larger, written);
        full.close();
    }

    private RdmaMessageTooLargeException tooLong() {
        int agreed = allocator == null ? Integer.MAX_VALUE : allocator.maxMessageBytes();
        return new RdmaMessageTooLargeException(
                mostBytes < agreed
                        ? "a message of more than " + mostBytes
                                + " bytes: that is the limit here; raise rdma.serialization.max-size, or send less"
                        : "a message of more than " + agreed + " bytes: the peers agreed on that limit; raise"
                                + " rdma.max-message-size on both sides, or send less");
    }

    /**
     * Returns the message as a stream, for those who write to one. Writes go straight into the block.
     *
     * @return a stream whose close does nothing
     */
    public OutputStream stream() {
        return stream;
    }

    private final class BufferStream extends OutputStream {

        @Override
        public void write(int value) {
            grow(1).put((byte) value);
        }

        @Override
        public void write(byte[] from, int offset, int count) {
            MessageOutput.this.write(from, offset, count);
        }
    }
}
