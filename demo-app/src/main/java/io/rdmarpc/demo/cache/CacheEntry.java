package io.rdmarpc.demo.cache;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import org.jspecify.annotations.Nullable;

/**
 * The layout of an entry in its slot. The bytes that a READ returns may stem from different points in time, in any
 * order. A version or lock next to the data therefore cannot prove that the bytes belong together. A checksum over all
 * bytes can.
 *
 * <pre>
 *   0          8           16          18            20
 *   +----------+-----------+-----------+-------------+------+-------+------+
 *   | version  | checksum  | key bytes | value bytes | key  | value | old  |   little-endian, version 0: empty
 *   +----------+-----------+-----------+-------------+------+-------+------+
 * </pre>
 *
 * The checksum consists of a CRC-32C and a CRC-32 of all bytes except the checksum itself.
 */
final class CacheEntry {

    static final int SLOT_BYTES = 512;

    private static final int CHECKSUM_AT = 8;
    private static final int LENGTHS_AT = 16;
    private static final int CONTENT_AT = 20;

    /** Maximum total size of key and value in bytes. */
    static final int MOST_BYTES = SLOT_BYTES - CONTENT_AT;

    private CacheEntry() {}

    /** The result of looking for a key in a slot. */
    enum State {
        /** The slot has the value. */
        HIT,
        /** The slot is empty or has another key. */
        OTHER,
        /** The entry was being rewritten during the READ: read again. */
        TORN
    }

    /** The state of a slot in one copy of its bytes, with the value if the state is {@link State#HIT}. */
    @SuppressWarnings("ArrayRecordComponent")
    record Seen(State state, byte @Nullable [] value) {

        private static final Seen OTHER = new Seen(State.OTHER, null);
        private static final Seen TORN = new Seen(State.TORN, null);
    }

    /** Writes an entry into a slot while readers may read it. Only one thread may write at a time. */
    static void write(MemorySegment slot, long version, byte[] key, byte[] value) {
        byte[] entry = encode(version, key, value);
        MemorySegment.copy(entry, 0, slot, ValueLayout.JAVA_BYTE, 0, entry.length);
    }

    static byte[] encode(long version, byte[] key, byte[] value) {
        if (version == 0 || key.length + value.length > MOST_BYTES) {
            throw new IllegalArgumentException("cannot encode an entry of version " + version + " with "
                    + key.length + " + " + value.length
                    + " bytes: the version must not be 0, key and value may have at most " + MOST_BYTES
                    + " bytes together");
        }
        ByteBuffer entry = ByteBuffer.allocate(CONTENT_AT + key.length + value.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(version)
                .putLong(0)
                .putShort((short) key.length)
                .putShort((short) value.length)
                .put(key)
                .put(value);
        return entry.putLong(CHECKSUM_AT, checksum(entry.array(), 0, entry.capacity()))
                .array();
    }

    private static long checksum(byte[] bytes, int from, int length) {
        CRC32C first = new CRC32C();
        CRC32 second = new CRC32();
        for (Checksum each : List.of(first, second)) {
            each.update(bytes, from, CHECKSUM_AT);
            each.update(bytes, from + LENGTHS_AT, length - LENGTHS_AT);
        }
        return first.getValue() << Integer.SIZE | second.getValue();
    }

    /** Returns the version in a copy of a slot. */
    static long version(byte[] bytes, int from) {
        return slot(bytes, from).getLong(0);
    }

    private static ByteBuffer slot(byte[] bytes, int from) {
        return ByteBuffer.wrap(bytes, from, SLOT_BYTES).slice().order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Looks for a key in a copy of a slot. */
    static Seen read(byte[] bytes, int from, byte[] key) {
        ByteBuffer slot = slot(bytes, from);
        int keyBytes = Short.toUnsignedInt(slot.getShort(LENGTHS_AT));
        int valueBytes = Short.toUnsignedInt(slot.getShort(LENGTHS_AT + Short.BYTES));
        int end = CONTENT_AT + keyBytes + valueBytes;
        if (slot.getLong(0) == 0 && slot.getLong(CHECKSUM_AT) == 0) {
            return Seen.OTHER;
        }
        if (end > SLOT_BYTES || slot.getLong(CHECKSUM_AT) != checksum(bytes, from, end)) {
            return Seen.TORN;
        }
        int keyAt = from + CONTENT_AT;
        return Arrays.equals(bytes, keyAt, keyAt + keyBytes, key, 0, key.length)
                ? new Seen(State.HIT, Arrays.copyOfRange(bytes, keyAt + keyBytes, from + end))
                : Seen.OTHER;
    }
}
