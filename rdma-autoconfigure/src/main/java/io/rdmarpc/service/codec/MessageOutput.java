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

/**
 * The output of a message in registered memory. The position of {@link #buffer()} is the end of the written bytes. If
 * the capacity does not suffice, {@link #grow} moves the message to a larger block. This object owns the block until
 * the message is finished or abandoned. Used by one thread at a time.
 */
@SuppressWarnings("unused") // only the size of the padding matters
public final class MessageOutput extends MessageOutputState {

    private static final ValueLayout.OfInt BIG_ENDIAN_INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final int maxBytes;
    private final OutputStream stream = new BufferStream();

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

    MessageOutput(int maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Begins a message after free bytes, which its owner fills. */
    @SuppressWarnings("ReferenceEquality") // allocator identity
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

    /** Passes the ownership of the block to the caller, with its final length. */
    MessageBuffer finish() {
        MessageBuffer finished = open();
        int length = position();
        if (length - headBytes > maxBytes) {
            throw tooLong();
        }
        finished.length(length);
        forget();
        return finished;
    }

    /** Releases the block. */
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
        return Objects.requireNonNull(message, "no message was begun");
    }

    /**
     * Returns the buffer to write to, big-endian, from its position.
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
     * Returns the position of the next byte.
     *
     * @return offset from the start of the block in bytes
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
     * Appends bytes of an array, and moves to a larger block if necessary.
     *
     * @param from the array
     * @param offset index of the first byte
     * @param count number of bytes
     */
    public void write(byte[] from, int offset, int count) {
        room(count);
        MemorySegment.copy(from, offset, open().segment(), JAVA_BYTE, position(), count);
        advance(count);
    }

    /**
     * Appends a memory segment.
     *
     * @param from segment of less than 2 GiB
     */
    public void write(MemorySegment from) {
        int count = (int) from.byteSize();
        room(count);
        MemorySegment.copy(from, 0, open().segment(), position(), count);
        advance(count);
    }

    /**
     * Overwrites four bytes, big-endian.
     *
     * @param position the value of {@link #position()} before the first of them was written
     * @param value the new value
     */
    public void setInt(int position, int value) {
        open().segment().set(BIG_ENDIAN_INT, position, value);
    }

    /**
     * Ensures capacity. If necessary, the message moves to a block of twice the capacity, or of the required capacity
     * if that is more. The maximum is that of a message. Bytes before the buffer's position are kept.
     *
     * @param requiredBytes number of bytes that must fit after the buffer's position
     * @return the buffer to continue with, at the same position
     * @throws RdmaMessageTooLargeException if the message would exceed the negotiated maximum or the configured one
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
        MessageAllocator from = Objects.requireNonNull(allocator, "no message was begun");
        if (neededBytes > from.maxMessageBytes() || neededBytes - headBytes > maxBytes) {
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
                maxBytes < agreed
                        ? "the message has more than " + maxBytes
                                + " bytes, which is the limit; raise rdma.serialization.max-size, or send less"
                        : "the message has more than " + agreed + " bytes, the limit that both sides agreed on;"
                                + " raise rdma.max-message-size on both sides, or send less");
    }

    /**
     * Returns the message as a stream. Writes go directly to the block.
     *
     * @return a stream whose close has no effect
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
