package io.rdmarpc.service.codec.kryo.value;

import com.esotericsoftware.kryo.io.Output;
import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.service.codec.MessageOutput;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The output of a Kryo: a short array. Its bytes are moved to the block of a {@link MessageOutput} when it is full
 * and at the end. An access to registered memory costs several times as much as one to an array, and an object is
 * written in many small pieces. Long pieces, such as a {@code byte[]}, are written directly to the block. Used by one
 * thread at a time.
 *
 * <p>Numbers of variable length have their own encoding, see {@link VarNumber}.
 *
 * <p>A string begins with a variable-length header {@code h}: 0 for null, otherwise
 * {@code h - 1 = length << 1 | other}. Without {@code other}, {@code length} chars below 256 follow, one byte each.
 * With {@code other}, a byte with the encoding follows: {@link #UTF_8} with {@code length} bytes, or {@link #CHARS}
 * with {@code length} chars of two bytes. {@code CHARS} is for text that UTF-8 cannot represent (unpaired
 * surrogates).
 */
public final class KryoOutput extends Output {

    static final int UTF_8 = 0;
    static final int CHARS = 1;

    /** Maximum length of text whose header takes one byte. */
    private static final int SHORT_TEXT = 62;

    private static final int HIGHEST_NARROW = 0xFF;

    /** Most messages fit. */
    private static final int BUFFER_BYTES = 4096;

    private static final int NOT_TEXT = -1;

    /** At least the length of short text. */
    private static final int CHARS_AT_A_TIME = 256;

    /**
     * Buffer of chars for the examination of text. {@link String#charAt} checks the string's coder for each char. A
     * loop of such calls was inlined into the write of a whole message, and its counters were kept in memory. It took a
     * sixth of a server's CPU time.
     */
    private final char[] chars = new char[CHARS_AT_A_TIME];

    /** Kept for the next message, which usually has the same target. Storing a reference costs a barrier with G1. */
    private @Nullable MessageOutput target;

    /** Bytes of the message that were moved to the block. */
    private int moved;

    private int begin;

    public KryoOutput() {
        super(BUFFER_BYTES);
    }

    @SuppressWarnings("ReferenceEquality") // instance identity
    public void begin(MessageOutput message) {
        if (target != message) {
            target = message;
        }
        begin = message.position();
        reset();
    }

    /** Ends the message, and sets the position of its buffer to its end. */
    public void leave() {
        move();
    }

    /** Discards a message that is not written completely. */
    public void forget() {
        reset();
    }

    @Override
    public void reset() {
        super.reset();
        moved = 0;
    }

    /** Moves the bytes of the array to the block. */
    private void move() {
        if (position > 0) {
            target().write(buffer, 0, position);
            moved += position;
            position = 0;
        }
    }

    private MessageOutput target() {
        if (target == null) {
            throw new IllegalStateException("no message was begun");
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
            throw new IllegalStateException(required + " contiguous bytes exceed the buffer of " + capacity + " bytes");
        }
        return true;
    }

    /** Keeps the payload of a NaN, which Kryo's own method loses. */
    @Override
    public void writeFloat(float value) {
        writeInt(Float.floatToRawIntBits(value));
    }

    /** Keeps the payload of a NaN. */
    @Override
    public void writeDouble(double value) {
        writeLong(Double.doubleToRawLongBits(value));
    }

    /** Writes the bytes at once, so that the block grows only once. */
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

    /** Writes the bytes at once, without a change of the buffer's position. */
    void writeBuffer(ByteBuffer bytes) {
        append(MemorySegment.ofBuffer(bytes));
    }

    void writeSegment(MemorySegment bytes) {
        if (bytes.byteSize() > Integer.MAX_VALUE) {
            throw new RdmaMessageTooLargeException("a segment of " + bytes.byteSize()
                    + " bytes does not fit a message, which has less than 2 GiB; send it in parts");
        }
        append(bytes);
    }

    private void append(MemorySegment bytes) {
        move();
        target().write(bytes);
        moved += (int) bytes.byteSize();
    }

    /** Returns the number of bytes that were written. */
    public int written() {
        return moved + position;
    }

    /** Reserves four bytes for an int that is known later. Returns its position. */
    public int reserveInt() {
        require(Integer.BYTES);
        int offset = written();
        position += Integer.BYTES;
        return offset;
    }

    /** Fills a reserved int, big-endian. Its four bytes are either all in the block or all in the array. */
    public void fillInt(int offset, int value) {
        if (offset < moved) {
            target().setInt(begin + offset, value);
        } else {
            int at = offset - moved;
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

    /** Writes the number of a class, which is greater than 0. */
    public void writeClassNumber(int number) {
        writeNumber(number);
    }

    /** Writes an unsigned number, and returns the number of its bytes. */
    int writeNumber(long value) {
        if (capacity - position < VarNumber.MAX_BYTES) {
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

    /** Returns false if a char takes more than a byte. In that case nothing was written. */
    private boolean tryWriteShort(String value, int length) {
        require(length + 1);
        char[] text = chars;
        value.getChars(0, length, text, 0);
        byte[] into = buffer;
        int from = position + 1;
        int seen = 0;
        // A separate check followed by a bulk copy takes twice as many instructions.
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

    /**
     * Returns the length of the text in UTF-8, or {@link #NOT_TEXT} for an unpaired surrogate or a length that
     * exceeds an array.
     */
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
                // Two more chars of two more bytes: four bytes for the pair.
                i++;
            }
        }
        return bytes > Integer.MAX_VALUE - 8 ? NOT_TEXT : (int) bytes;
    }

    @SuppressWarnings("deprecation") // The chars have only a lower byte.
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
