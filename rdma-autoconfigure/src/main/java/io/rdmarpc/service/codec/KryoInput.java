package io.rdmarpc.service.codec;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.ByteBufferInput;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What Kryo reads from: a message where it arrived. Whatever length the sender claims is compared with the bytes that are
 * left before memory is allocated for it: Kryo 5.6.2 itself allocates first, and 6 bytes can ask it for 16 GiB. One thread at
 * a time.
 */
final class KryoInput extends ByteBufferInput {

    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0).asReadOnlyBuffer();
    private static final int SCRATCH_BYTES = 1024;

    private final byte[] scratch = new byte[SCRATCH_BYTES];

    private final int maxElements;

    KryoInput(int maxElements) {
        super(EMPTY);
        this.maxElements = maxElements;
    }

    void begin(MessageInput message) {
        setBuffer(message.buffer());
    }

    /** Leaves the position of the message's buffer where reading ended, and lets go of it. */
    void leave() {
        byteBuffer.position(position);
        setBuffer(EMPTY);
    }

    /** There is nothing to fill the buffer from. */
    @Override
    protected int require(int required) {
        if (remaining() < required) {
            throw new KryoException("the message ends where " + required + " more bytes belong");
        }
        return remaining();
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

    /** Reads what {@link KryoOutput#fillInt} wrote. */
    int readBigEndianInt() {
        checked(Integer.BYTES, 1);
        int value = byteBuffer.getInt(position);
        setPosition(position + Integer.BYTES);
        return value;
    }

    /** Reads the size of a collection, map or array whose elements take a byte or more each. */
    int readSize() {
        int size = checked(readVarInt(true), 1);
        if (size > maxElements) {
            throw new KryoException("the message claims " + size + " elements of one container: " + maxElements
                    + " is the limit here; raise rdma.serialization.max-elements, or send less");
        }
        return size;
    }

    /** In one piece: what is left has been checked. */
    @Override
    public byte[] readBytes(int length) {
        byte[] bytes = new byte[checked(length, 1)];
        byteBuffer.get(position, bytes);
        setPosition(position + length);
        return bytes;
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

    /** Reads the form that {@link KryoOutput} writes. */
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
