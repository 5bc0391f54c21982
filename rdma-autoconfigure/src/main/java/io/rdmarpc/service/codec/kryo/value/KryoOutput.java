package io.rdmarpc.service.codec.kryo.value;

import com.esotericsoftware.kryo.io.Output;
import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.service.codec.MessageOutput;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What Kryo writes to: a short array, from where the bytes go on to the block of a {@link MessageOutput} whenever it is full and
 * at the end. One access to registered memory costs several times as much as one to an array, and an object is written in many
 * small pieces; long ones, such as a {@code byte[]}, go to the block at once. One thread at a time.
 *
 * <p>Numbers of variable length have a form of their own, see {@link VarNumber}.
 *
 * <p>So do strings: a variable-length header {@code h}, 0 for null, else {@code h - 1 = length << 1 | other}. Without
 * {@code other} come {@code length} chars below 256, a byte each; else a byte that says which: {@link #UTF_8} for
 * {@code length} bytes of it, {@link #CHARS} for {@code length} chars of two bytes, for text that UTF-8 cannot hold (unpaired
 * surrogates).
 */
public final class KryoOutput extends Output {

    static final int UTF_8 = 0;
    static final int CHARS = 1;

    /** The header of text up to this length takes one byte. */
    private static final int SHORT_TEXT = 62;

    private static final int HIGHEST_NARROW = 0xFF;

    /** Most messages fit. */
    private static final int BUFFER_BYTES = 4096;

    private static final int NOT_TEXT = -1;

    /** As many as short text has, or more. */
    private static final int CHARS_AT_A_TIME = 256;

    /**
     * Where chars of a text are looked at. {@link String#charAt} asks for each of them in which form the text is; compiled as a part of
     * all that writes a message, a loop of it kept its counters in memory and took a sixth of a server's time.
     */
    private final char[] chars = new char[CHARS_AT_A_TIME];

    /** The last message's, which most of the time is the next one's: a reference that is stored costs a fence with G1. */
    private @Nullable MessageOutput target;

    /** Bytes of the message that are in the block. */
    private int moved;

    private int begin;

    public KryoOutput() {
        super(BUFFER_BYTES);
    }

    @SuppressWarnings("ReferenceEquality") // that very one
    public void begin(MessageOutput message) {
        if (target != message) {
            target = message;
        }
        begin = message.position();
        reset();
    }

    /** Leaves the position of the message's buffer where the message ends. */
    public void leave() {
        move();
    }

    /** Lets go of a message that does not come to its end. */
    public void forget() {
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

    /** With the payload of a NaN, which that of Kryo does not keep. */
    @Override
    public void writeFloat(float value) {
        writeInt(Float.floatToRawIntBits(value));
    }

    /** With the payload of a NaN. */
    @Override
    public void writeDouble(double value) {
        writeLong(Double.doubleToRawLongBits(value));
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
    public int written() {
        return moved + position;
    }

    /** Leaves room for a number of four bytes that is known later. */
    public int reserveInt() {
        require(Integer.BYTES);
        int place = written();
        position += Integer.BYTES;
        return place;
    }

    /** Fills it, big-endian; all four bytes have gone on, or none. */
    public void fillInt(int place, int value) {
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
    public int writeVarInt(int value, boolean optimizePositive) {
        return writeNumber(optimizePositive ? value & 0xFFFF_FFFFL : VarNumber.unsigned(value));
    }

    @Override
    public int writeVarLong(long value, boolean optimizePositive) {
        return writeNumber(optimizePositive ? value : VarNumber.signed(value));
    }

    /** Writes the number of a class, which is above 0. */
    public void writeClassNumber(int number) {
        writeNumber(number);
    }

    /** Writes a number without a sign; gives how many bytes it took. */
    int writeNumber(long value) {
        if (capacity - position < VarNumber.MOST_BYTES) {
            move();
        }
        int from = position;
        if (value >>> 7 == 0) {
            buffer[from] = (byte) value;
            position = from + 1;
            return 1;
        }
        int bytes = VarNumber.put(value, buffer, from);
        position = from + bytes;
        return bytes;
    }

    @Override
    public void writeAscii(@Nullable String value) {
        writeString(value);
    }

    @Override
    public void writeString(@Nullable String value) {
        if (value == null) {
            writeByte(0);
            return;
        }
        int length = value.length();
        if (length > SHORT_TEXT || !tryWriteShort(value, length)) {
            writeText(value);
        }
    }

    /** False when there is a char that takes more than a byte: then nothing has been written. */
    private boolean tryWriteShort(String value, int length) {
        require(length + 1);
        char[] text = chars;
        value.getChars(0, length, text, 0);
        byte[] into = buffer;
        int from = position + 1;
        int seen = 0;
        // To look at it first and then have it copied as a whole takes twice as many instructions.
        for (int i = 0; i < length; i++) {
            char c = text[i];
            seen |= c;
            into[from + i] = (byte) c;
        }
        if (seen > HIGHEST_NARROW) {
            return false;
        }
        into[position] = (byte) ((length << 1) + 1);
        position = from + length;
        return true;
    }

    private boolean isNarrow(String value, int length) {
        char[] text = chars;
        int seen = 0;
        for (int from = 0; from < length; from += CHARS_AT_A_TIME) {
            int count = Math.min(CHARS_AT_A_TIME, length - from);
            value.getChars(from, from + count, text, 0);
            for (int i = 0; i < count; i++) {
                seen |= text[i];
            }
        }
        return seen <= HIGHEST_NARROW;
    }

    private void writeText(String value) {
        int length = value.length();
        if (isNarrow(value, length)) {
            writeTextHeader(length, 0);
            writeNarrowInParts(value);
            return;
        }
        int bytes = utf8Length(value);
        if (bytes == NOT_TEXT) {
            writeTextHeader(length, 1);
            writeByte(CHARS);
            for (int i = 0; i < length; i++) {
                writeChar(value.charAt(i));
            }
        } else {
            writeTextHeader(bytes, 1);
            writeByte(UTF_8);
            byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
            writeBytes(utf8, 0, utf8.length);
        }
    }

    private void writeTextHeader(int length, int other) {
        writeNumber(((long) length << 1 | other) + 1);
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

    @SuppressWarnings("deprecation") // The lower bytes of the chars are all there is.
    private void writeNarrowInParts(String value) {
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
