package io.rdmarpc.service.codec;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.ByteBufferInput;
import io.rdmarpc.rpc.InboundMessage;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads a message in place. Whatever length the sender claims is compared with the bytes that are left before memory is
 * allocated for it: Kryo 5.6.2 itself allocates first, and 6 bytes can ask it for 16 GiB. One thread at a time.
 */
final class MessageInput extends ByteBufferInput {

    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0).asReadOnlyBuffer();
    private static final int SCRATCH_BYTES = 1024;

    private final byte[] scratch = new byte[SCRATCH_BYTES];

    void begin(InboundMessage message) {
        setBuffer(message.payload().asByteBuffer());
    }

    /** Lets go of the message's memory. */
    void letGo() {
        setBuffer(EMPTY);
    }

    int remaining() {
        return limit - position;
    }

    /**
     * Checks a claimed number of elements.
     *
     * @param count as claimed
     * @param bytesEach least bytes that one takes
     * @return the count
     */
    int checked(int count, int bytesEach) {
        if (count < 0 || (long) count * bytesEach > remaining()) {
            throw new KryoException("the message claims " + Integer.toUnsignedString(count) + " elements of at least "
                    + bytesEach + " bytes, but has " + remaining() + " bytes left");
        }
        return count;
    }

    /** Reads the size of a collection, map or array whose elements take a byte or more each. */
    int readSize() {
        return checked(readVarInt(true), 1);
    }

    @Override
    public byte[] readBytes(int length) {
        return super.readBytes(checked(length, 1));
    }

    @Override
    public int[] readInts(int length) {
        return super.readInts(checked(length, Integer.BYTES));
    }

    @Override
    public int[] readInts(int length, boolean optimizePositive) {
        return super.readInts(checked(length, 1), optimizePositive);
    }

    @Override
    public long[] readLongs(int length) {
        return super.readLongs(checked(length, Long.BYTES));
    }

    @Override
    public long[] readLongs(int length, boolean optimizePositive) {
        return super.readLongs(checked(length, 1), optimizePositive);
    }

    @Override
    public float[] readFloats(int length) {
        return super.readFloats(checked(length, Float.BYTES));
    }

    @Override
    public double[] readDoubles(int length) {
        return super.readDoubles(checked(length, Double.BYTES));
    }

    @Override
    public short[] readShorts(int length) {
        return super.readShorts(checked(length, Short.BYTES));
    }

    @Override
    public char[] readChars(int length) {
        return super.readChars(checked(length, Character.BYTES));
    }

    @Override
    public boolean[] readBooleans(int length) {
        return super.readBooleans(checked(length, 1));
    }

    @Override
    public @Nullable StringBuilder readStringBuilder() {
        String value = readString();
        return value == null ? null : new StringBuilder(value);
    }

    /** Reads the form that {@link MessageOutput} writes. */
    @Override
    public @Nullable String readString() {
        long header = readVarLong(true);
        if (header == 0) {
            return null;
        }
        long length = (header - 1) >>> 1;
        boolean wide = ((header - 1) & 1) != 0;
        int count = checked((int) Math.min(length, Integer.MAX_VALUE), wide ? Character.BYTES : 1);
        return wide ? new String(super.readChars(count)) : readUtf8(count);
    }

    private String readUtf8(int length) {
        byte[] bytes = length <= SCRATCH_BYTES ? scratch : new byte[length];
        readBytes(bytes, 0, length);
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }
}
