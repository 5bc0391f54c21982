package io.rdmarpc.service.codec;

import com.esotericsoftware.kryo.io.Output;
import io.rdmarpc.rpc.RdmaMessageTooLargeException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What Kryo writes to: a short array, from where the bytes go on to the block of a {@link MessageOutput} whenever it is full and
 * at the end. One access to registered memory costs several times as much as one to an array, and an object is written in many
 * small pieces; long ones, such as a {@code byte[]}, go to the block at once. One thread at a time.
 *
 * <p>Strings have a form of their own: a variable-length header {@code h}, 0 for null, else {@code h - 1 = length << 1 |
 * wide}; then {@code length} bytes of UTF-8, or with {@code wide} {@code length} chars of two bytes, for text that UTF-8
 * cannot hold (unpaired surrogates).
 */
final class KryoOutput extends Output {

    /** Up to this length, text is taken for ASCII first. */
    private static final int SHORT_TEXT = 48;

    /** Most messages fit. */
    private static final int BUFFER_BYTES = 4096;

    private static final int NOT_TEXT = -1;

    /** The last message's, which most of the time is the next one's: a reference that is stored costs a fence with G1. */
    private @Nullable MessageOutput target;

    /** Bytes of the message that are in the block. */
    private int moved;

    private int begin;
    private final char[] shortText = new char[SHORT_TEXT];

    KryoOutput() {
        super(BUFFER_BYTES);
    }

    @SuppressWarnings("ReferenceEquality") // that very one
    void begin(MessageOutput message) {
        if (target != message) {
            target = message;
        }
        begin = message.position();
        reset();
    }

    /** Leaves the position of the message's buffer where the message ends. */
    void leave() {
        move();
    }

    /** Lets go of a message that does not come to its end. */
    void forget() {
        reset();
    }

    @Override
    public void reset() {
        super.reset();
        moved = 0;
    }

    /** Moves what is here to the block. */
    private void move() {
        if (position > 0) {
            target().write(buffer, 0, position);
            moved += position;
            position = 0;
        }
    }

    private MessageOutput target() {
        if (target == null) {
            throw new IllegalStateException("no message begun");
        }
        return target;
    }

    @Override
    protected boolean require(int required) {
        if (capacity - position >= required) {
            return false;
        }
        move();
        if (required > capacity) {
            throw new IllegalStateException(required + " bytes in one piece do not go through " + capacity);
        }
        return true;
    }

    /** In one piece: the block grows once, to what is needed. */
    @Override
    public void writeBytes(byte[] bytes, int offset, int count) {
        if (count <= capacity - position) {
            System.arraycopy(bytes, offset, buffer, position, count);
            position += count;
        } else {
            move();
            target().write(bytes, offset, count);
            moved += count;
        }
    }

    /** In one piece, without moving the position of what is written. */
    void writeBuffer(ByteBuffer bytes) {
        append(MemorySegment.ofBuffer(bytes));
    }

    void writeSegment(MemorySegment bytes) {
        if (bytes.byteSize() > Integer.MAX_VALUE) {
            throw new RdmaMessageTooLargeException(
                    "a segment of " + bytes.byteSize() + " bytes: a message holds less than 2 GiB; send it in parts");
        }
        append(bytes);
    }

    private void append(MemorySegment bytes) {
        move();
        target().write(bytes);
        moved += (int) bytes.byteSize();
    }

    /** Returns how many bytes the message has so far. */
    int written() {
        return moved + position;
    }

    /** Leaves room for a number of four bytes that is known later. */
    int reserveInt() {
        require(Integer.BYTES);
        int place = written();
        position += Integer.BYTES;
        return place;
    }

    /** Fills it, big-endian; all four bytes have gone on, or none. */
    void fillInt(int place, int value) {
        if (place < moved) {
            target().setInt(begin + place, value);
        } else {
            int at = place - moved;
            buffer[at] = (byte) (value >>> 24);
            buffer[at + 1] = (byte) (value >>> 16);
            buffer[at + 2] = (byte) (value >>> 8);
            buffer[at + 3] = (byte) value;
        }
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

    /** Copied as a whole, twice, which is faster than to take char by char. */
    @SuppressWarnings("deprecation") // The lower bytes of the chars are all there is.
    private boolean writeShortAscii(String value) {
        int length = value.length();
        value.getChars(0, length, shortText, 0);
        if (!isAscii(shortText, length)) {
            return false;
        }
        require(length + 1);
        value.getBytes(0, length, buffer, position + 1);
        // At most 48 bytes, so that the header (48 << 1) + 1 takes one byte.
        buffer[position] = (byte) ((length << 1) + 1);
        position += length + 1;
        return true;
    }

    private static boolean isAscii(char[] text, int length) {
        int seen = 0;
        for (int i = 0; i < length; i++) {
            seen |= text[i];
        }
        return seen <= 0x7F;
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

    /** The lower bytes of the chars are all there is. */
    @SuppressWarnings("deprecation")
    private void writeAsciiInParts(String value) {
        int length = value.length();
        for (int from = 0; from < length; ) {
            require(1);
            int count = Math.min(capacity - position, length - from);
            value.getBytes(from, from + count, buffer, position);
            position += count;
            from += count;
        }
    }
}
