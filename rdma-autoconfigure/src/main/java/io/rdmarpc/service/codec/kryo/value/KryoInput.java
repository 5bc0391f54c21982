package io.rdmarpc.service.codec.kryo.value;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Input;
import io.rdmarpc.service.codec.MessageInput;
import io.rdmarpc.service.codec.limit.ContainerCost;
import io.rdmarpc.service.codec.limit.HashCollisions;
import io.rdmarpc.service.codec.limit.HeapEstimate;
import io.rdmarpc.service.codec.limit.MessageBudget;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The input of a Kryo: a short array that is filled from a message, for the reason in {@link KryoOutput}. Each length
 * that the sender claims is compared with the remaining bytes before memory is allocated. Kryo 5.6.2 itself allocates
 * first, and 6 bytes can claim 16 GiB. Used by one thread at a time.
 */
public final class KryoInput extends Input {

    /** Most messages fit. */
    private static final int BUFFER_BYTES = 4096;

    private final MessageBudget budget;
    /**
     * Source of bytes that are not in the array yet. Kept for the next message, because storing a reference costs a
     * barrier with G1.
     */
    private @Nullable MessageInput source;

    public KryoInput(MessageBudget budget) {
        super(BUFFER_BYTES + VarNumber.MAX_BYTES);
        // A number is loaded as one word, including bytes after it.
        capacity = BUFFER_BYTES;
        this.budget = budget;
    }

    MessageBudget budget() {
        return budget;
    }

    /** Adds bytes to the heap size of the message. The limit is checked once for each filled array. */
    public void charge(int bytes) {
        budget.charge(bytes);
    }

    /**
     * Charges an entry before it is added to a container.
     *
     * @param cost cost of the container
     * @param seen result of this method for the previous entry, null for the first one
     * @param key key of a map, or element of a collection, as read from this input
     * @param size number of entries that the message claims for the container
     * @param start bytes of the message that had been read before the key
     * @return the value to pass for the next entry
     */
    @Nullable
    public HashCollisions admit(
            ContainerCost cost, @Nullable HashCollisions seen, @Nullable Object key, int size, int start) {
        if (!cost.searches()) {
            charge(cost.each());
            return seen;
        }
        int consumed = consumed();
        return cost.admit(budget, seen, key, size, consumed - start, consumed);
    }

    /** Adds bytes to the heap size of the message, and checks the limit immediately. For large objects. */
    void chargeNow(int bytes) {
        budget.charge(bytes);
        budget.check(consumed());
    }

    @SuppressWarnings("ReferenceEquality") // instance identity
    public void begin(MessageInput message) {
        if (source != message) {
            source = message;
        }
        total = 0;
        position = 0;
        limit = 0;
        budget.begin();
    }

    /** Ends the message at the current position, and releases the input. */
    public void leave() {
        if (source != null) {
            source.unread(limit - position);
        }
        forget();
    }

    /** Discards a message that was not read completely. */
    public void forget() {
        position = 0;
        limit = 0;
    }

    @Override
    protected int fill(byte[] into, int offset, int count) {
        int some = source == null ? 0 : source.read(into, offset, count);
        return some == 0 && count > 0 ? -1 : some;
    }

    @Override
    protected int require(int required) {
        int here = limit - position;
        if (here >= required) {
            return here;
        }
        if (remaining() < required) {
            throw new KryoException("the message ends too early: " + required + " more bytes are required");
        }
        System.arraycopy(buffer, position, buffer, 0, here);
        total += position;
        budget.check(total);
        position = 0;
        limit = here + fill(buffer, here, capacity - here);
        return limit;
    }

    int remaining() {
        return limit - position + (source == null ? 0 : source.remaining());
    }

    /** Returns how many bytes of the message have been read. */
    public int consumed() {
        return (int) total + position;
    }

    /**
     * Checks a claimed number of elements.
     *
     * @param count the claimed number
     * @param bytesEach minimum bytes of an element
     * @return the count
     */
    public int checked(int count, int bytesEach) {
        if (count < 0 || (long) count * bytesEach > remaining()) {
            throw new KryoException("the message claims " + Integer.toUnsignedString(count) + " elements of at least "
                    + bytesEach + " bytes, but has " + remaining() + " bytes left");
        }
        return count;
    }

    /** Reads an int that {@link KryoOutput#fillInt} wrote. */
    public int readBigEndianInt() {
        checked(Integer.BYTES, 1);
        require(Integer.BYTES);
        return readUnsigned() << 24 | readUnsigned() << 16 | readUnsigned() << 8 | readUnsigned();
    }

    private int readUnsigned() {
        return buffer[position++] & 0xFF;
    }

    /** Reads the size of a collection, map or array whose elements take at least one byte each. */
    public int readSize() {
        int size = checked(readVarInt(true), 1);
        budget.addElements(size);
        return size;
    }

    /** Reads the bytes with one copy, after a check of the remaining bytes. */
    @Override
    public byte[] readBytes(int length) {
        byte[] bytes = new byte[checked(length, 1)];
        int here = Math.min(length, limit - position);
        System.arraycopy(buffer, position, bytes, 0, here);
        position += here;
        if (here < length) {
            total += fill(bytes, here, length - here);
        }
        budget.chargeArray(length, 1);
        return bytes;
    }

    @Override
    public int[] readInts(int length) {
        int[] array = super.readInts(checked(length, Integer.BYTES));
        budget.chargeArray(length, Integer.BYTES);
        return array;
    }

    @Override
    public int[] readInts(int length, boolean optimizePositive) {
        int[] array = super.readInts(checked(length, 1), optimizePositive);
        budget.chargeArray(length, Integer.BYTES);
        return array;
    }

    @Override
    public long[] readLongs(int length) {
        long[] array = super.readLongs(checked(length, Long.BYTES));
        budget.chargeArray(length, Long.BYTES);
        return array;
    }

    @Override
    public long[] readLongs(int length, boolean optimizePositive) {
        long[] array = super.readLongs(checked(length, 1), optimizePositive);
        budget.chargeArray(length, Long.BYTES);
        return array;
    }

    @Override
    public float[] readFloats(int length) {
        float[] array = super.readFloats(checked(length, Float.BYTES));
        budget.chargeArray(length, Float.BYTES);
        return array;
    }

    @Override
    public double[] readDoubles(int length) {
        double[] array = super.readDoubles(checked(length, Double.BYTES));
        budget.chargeArray(length, Double.BYTES);
        return array;
    }

    @Override
    public short[] readShorts(int length) {
        short[] array = super.readShorts(checked(length, Short.BYTES));
        budget.chargeArray(length, Short.BYTES);
        return array;
    }

    @Override
    public char[] readChars(int length) {
        char[] array = super.readChars(checked(length, Character.BYTES));
        budget.chargeArray(length, Character.BYTES);
        return array;
    }

    @Override
    public boolean[] readBooleans(int length) {
        boolean[] array = super.readBooleans(checked(length, 1));
        budget.chargeArray(length, 1);
        return array;
    }

    @Override
    public @Nullable StringBuilder readStringBuilder() {
        String value = readString();
        return value == null ? null : new StringBuilder(value);
    }

    @Override
    public int readVarInt(boolean optimizePositive) {
        long number = readNumber();
        return (int) (optimizePositive ? number : VarNumber.plain(number));
    }

    @Override
    public long readVarLong(boolean optimizePositive) {
        long number = readNumber();
        return optimizePositive ? number : VarNumber.plain(number);
    }

    /** Reads an unsigned number. */
    long readNumber() {
        if (position == limit) {
            require(1);
        }
        byte first = buffer[position];
        if (first >= 0) {
            position++;
            return first;
        }
        int bytes = VarNumber.bytes(first);
        if (limit - position < bytes) {
            require(bytes);
        }
        int at = position;
        position = at + bytes;
        return VarNumber.get(buffer, at, bytes);
    }

    @Override
    public boolean canReadVarInt() {
        return canReadVarLong();
    }

    @Override
    public boolean canReadVarLong() {
        if (remaining() == 0) {
            return false;
        }
        require(1);
        return remaining() >= VarNumber.bytes(buffer[position]);
    }

    /** Reads a string in the format of {@link KryoOutput}. */
    @Override
    public @Nullable String readString() {
        long header = readNumber();
        if (header == 0) {
            return null;
        }
        long length = (header - 1) >>> 1;
        if ((header - 1 & 1) != 0) {
            return readOther(length);
        }
        return length <= limit - position ? readShort((int) length) : readLong(length);
    }

    @SuppressWarnings("deprecation") // The chars have only a lower byte.
    private String readShort(int length) {
        charge(HeapEstimate.TEXT + length);
        int from = position;
        position = from + length;
        return new String(buffer, 0, from, length);
    }

    /**
     * Reads text that is not in the array. The bytes are charged twice, because two arrays exist until the string is
     * created.
     */
    private String readLong(long length) {
        byte[] bytes = readBytes(checkedText(length, 1));
        charge(HeapEstimate.TEXT + bytes.length);
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private int checkedText(long length, int bytesEach) {
        return checked((int) Math.min(length, Integer.MAX_VALUE), bytesEach);
    }

    private String readOther(long length) {
        byte form = readByte();
        return switch (form) {
            case KryoOutput.UTF_8 -> readUtf8(checkedText(length, 1));
            case KryoOutput.CHARS -> new String(readChars(checkedText(length, Character.BYTES)));
            default -> throw new KryoException("the message has a text with the unknown encoding " + form);
        };
    }

    private String readUtf8(int length) {
        budget.chargeArray(length, Character.BYTES);
        if (length > capacity) {
            return new String(readBytes(length), StandardCharsets.UTF_8);
        }
        require(length);
        String text = new String(buffer, position, length, StandardCharsets.UTF_8);
        position += length;
        return text;
    }
}
