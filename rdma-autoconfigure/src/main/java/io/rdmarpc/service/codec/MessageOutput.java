package io.rdmarpc.service.codec;

import com.esotericsoftware.kryo.io.ByteBufferOutput;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.MessageAllocator;
import io.rdmarpc.rpc.RdmaMessageTooLargeException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes into registered memory. When a buffer is full, the message moves to one twice as large, up to what the peers
 * agreed on. Owns the buffer between {@link #begin} and {@link #finish} or {@link #abandon}. One thread at a time.
 *
 * <p>Strings have a form of their own: a variable-length header {@code h}, 0 for null, else {@code h - 1 = length << 1 |
 * wide}; then {@code length} bytes of UTF-8, or with {@code wide} {@code length} chars of two bytes, for text that UTF-8
 * cannot hold (unpaired surrogates).
 */
final class MessageOutput extends ByteBufferOutput {

    /** Up to this length, text is tried byte by byte; beyond, copying in bulk is faster. */
    private static final int SHORT_TEXT = 48;

    private @Nullable MessageAllocator allocator;
    private @Nullable MessageBuffer message;

    void begin(MessageAllocator from, int capacityBytes) {
        allocator = from;
        reset();
        use(from.allocate(capacityBytes));
    }

    /** Hands over the buffer with its final length. */
    MessageBuffer finish() {
        MessageBuffer finished = Objects.requireNonNull(message, "no message begun");
        finished.length(position);
        message = null;
        allocator = null;
        return finished;
    }

    /** Gives the buffer back. */
    void abandon() {
        if (message != null) {
            message.close();
        }
        message = null;
        allocator = null;
    }

    private void use(MessageBuffer next) {
        message = next;
        byteBuffer = next.byteBuffer();
        capacity = byteBuffer.capacity();
        maxCapacity = capacity;
        byteBuffer.position(position);
    }

    @Override
    protected boolean require(int required) {
        if (capacity - position >= required) {
            return false;
        }
        growTo((long) position + required);
        return true;
    }

    private void growTo(long neededBytes) {
        MessageAllocator from = Objects.requireNonNull(allocator, "no message begun");
        MessageBuffer full = Objects.requireNonNull(message, "no message begun");
        int limit = from.maxMessageBytes();
        if (neededBytes > limit) {
            throw new RdmaMessageTooLargeException(
                    "a message of more than " + limit
                            + " bytes: the peers agreed on that limit; raise rdma.max-message-size on both sides, or send less");
        }
        int written = position;
        MessageBuffer larger = from.allocate((int) Math.min(limit, Math.max(neededBytes, 2L * capacity)));
        larger.segment().asSlice(0, written).copyFrom(full.segment().asSlice(0, written));
        use(larger);
        full.close();
    }

    @Override
    public void reset() {
        position = 0;
        total = 0;
    }

    @Override
    public void writeAscii(@Nullable String value) {
        writeString(value);
    }

    @Override
    public void writeString(@Nullable String value) {
        if (value == null) {
            writeByte(0);
        } else if (value.length() > SHORT_TEXT || !writeShortAscii(value)) {
            writeText(value);
        }
    }

    private boolean writeShortAscii(String value) {
        int length = value.length();
        require(length + 1);
        int start = position + 1;
        int seen = 0;
        for (int i = 0; i < length; i++) {
            char c = value.charAt(i);
            seen |= c;
            byteBuffer.put(start + i, (byte) c);
        }
        if (seen > 0x7F) {
            return false;
        }
        // At most 48 bytes, so that the header (48 << 1) + 1 takes one byte.
        byteBuffer.put(position, (byte) ((length << 1) + 1));
        setPosition(start + length);
        return true;
    }

    private void writeText(String value) {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        if (new String(utf8, StandardCharsets.UTF_8).equals(value)) {
            writeTextHeader(utf8.length, 0);
            writeBytes(utf8, 0, utf8.length);
        } else {
            writeTextHeader(value.length(), 1);
            for (int i = 0; i < value.length(); i++) {
                writeChar(value.charAt(i));
            }
        }
    }

    private void writeTextHeader(int length, int wide) {
        writeVarLong(((long) length << 1 | wide) + 1, true);
    }
}
