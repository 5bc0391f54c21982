package io.rdmarpc.service.codec;

import com.esotericsoftware.kryo.io.ByteBufferOutput;
import io.rdmarpc.rpc.RdmaMessageTooLargeException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What Kryo writes to: the block of a {@link MessageOutput}, which is asked for a larger one when it is full. One thread at
 * a time.
 *
 * <p>Strings have a form of their own: a variable-length header {@code h}, 0 for null, else {@code h - 1 = length << 1 |
 * wide}; then {@code length} bytes of UTF-8, or with {@code wide} {@code length} chars of two bytes, for text that UTF-8
 * cannot hold (unpaired surrogates).
 */
final class KryoOutput extends ByteBufferOutput {

    /** Up to this length, text is tried byte by byte; beyond, copying in bulk is faster. */
    private static final int SHORT_TEXT = 48;

    private static final ByteBuffer NONE = ByteBuffer.allocate(0);
    private static final int SCRATCH_BYTES = 1024;
    private static final int NOT_TEXT = -1;

    private final byte[] scratch = new byte[SCRATCH_BYTES];
    private @Nullable MessageOutput target;

    KryoOutput() {
        super(0);
    }

    void begin(MessageOutput message) {
        target = message;
        total = 0;
        use(message.buffer());
        position = byteBuffer.position();
    }

    /** Leaves the position of the message's buffer where the message ends. */
    void leave() {
        byteBuffer.position(position);
        target = null;
    }

    /** Lets go of a message that does not come to its end. */
    void forget() {
        use(NONE);
        position = 0;
        target = null;
    }

    private void use(ByteBuffer block) {
        byteBuffer = block;
        capacity = block.capacity();
        maxCapacity = capacity;
    }

    @Override
    protected boolean require(int required) {
        if (capacity - position >= required) {
            return false;
        }
        if (target == null) {
            throw new IllegalStateException("no message begun");
        }
        byteBuffer.position(position);
        use(target.grow(required));
        return true;
    }

    @Override
    public void reset() {
        total = 0;
    }

    /** In one piece: the block grows once, to what is needed. */
    @Override
    public void writeBytes(byte[] bytes, int offset, int count) {
        require(count);
        byteBuffer.put(position, bytes, offset, count);
        setPosition(position + count);
    }

    /** In one piece, without moving the position of what is written. */
    void writeBuffer(ByteBuffer bytes) {
        int count = bytes.remaining();
        require(count);
        byteBuffer.put(position, bytes, bytes.position(), count);
        setPosition(position + count);
    }

    void writeSegment(MemorySegment bytes) {
        if (bytes.byteSize() > Integer.MAX_VALUE) {
            throw new RdmaMessageTooLargeException(
                    "a segment of " + bytes.byteSize() + " bytes: a message holds less than 2 GiB; send it in parts");
        }
        int count = (int) bytes.byteSize();
        require(count);
        MemorySegment.ofBuffer(byteBuffer.slice(position, count)).copyFrom(bytes);
        setPosition(position + count);
    }

    /** Leaves room for a number of four bytes that is known later. */
    int reserveInt() {
        require(Integer.BYTES);
        int place = position;
        setPosition(place + Integer.BYTES);
        return place;
    }

    void fillInt(int place, int value) {
        byteBuffer.putInt(place, value);
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
        ByteBuffer to = byteBuffer;
        for (int i = 0; i < length; i++) {
            char c = value.charAt(i);
            seen |= c;
            to.put(start + i, (byte) c);
        }
        if (seen > 0x7F) {
            return false;
        }
        // At most 48 bytes, so that the header (48 << 1) + 1 takes one byte.
        to.put(position, (byte) ((length << 1) + 1));
        setPosition(start + length);
        return true;
    }

    private void writeText(String value) {
        int bytes = utf8Length(value);
        if (bytes == NOT_TEXT) {
            writeTextHeader(value.length(), 1);
            for (int i = 0; i < value.length(); i++) {
                writeChar(value.charAt(i));
            }
        } else {
            writeTextHeader(bytes, 0);
            require(bytes);
            if (bytes == value.length()) {
                writeAsciiInParts(value);
            } else {
                byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
                writeBytes(utf8, 0, utf8.length);
            }
        }
    }

    private void writeTextHeader(int length, int wide) {
        writeVarLong(((long) length << 1 | wide) + 1, true);
    }

    /** Bytes of the text in UTF-8, or {@link #NOT_TEXT} with an unpaired surrogate in it, or longer than an array can be. */
    private static int utf8Length(String value) {
        int length = value.length();
        long bytes = length;
        for (int i = 0; i < length; i++) {
            char c = value.charAt(i);
            if (c <= 0x7F) {
                continue;
            }
            bytes += c <= 0x7FF ? 1 : 2;
            if (Character.isSurrogate(c)) {
                boolean pair =
                        Character.isHighSurrogate(c) && i + 1 < length && Character.isLowSurrogate(value.charAt(i + 1));
                if (!pair) {
                    return NOT_TEXT;
                }
                // Two chars and two bytes more: four for the two of them.
                i++;
            }
        }
        return bytes > Integer.MAX_VALUE - 8 ? NOT_TEXT : (int) bytes;
    }

    /** Through an array that is always there: the lower bytes of the chars are all there is. */
    @SuppressWarnings("deprecation")
    private void writeAsciiInParts(String value) {
        int length = value.length();
        for (int from = 0; from < length; from += SCRATCH_BYTES) {
            int count = Math.min(SCRATCH_BYTES, length - from);
            value.getBytes(from, from + count, scratch, 0);
            writeBytes(scratch, 0, count);
        }
    }
}
