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
 * An entry in its slot. The bytes that a READ brings may be of different moments, in any order, so no version or lock beside
 * them says that they belong together: a checksum over all of them does.
 *
 * <pre>
 *   0          8           16          18            20
 *   +----------+-----------+-----------+-------------+------+-------+------+
 *   | version  | checksum  | key bytes | value bytes | key  | value | old  |   little-endian, version 0: empty
 *   +----------+-----------+-----------+-------------+------+-------+------+
 * </pre>
 *
 * The checksum is a CRC-32C and a CRC-32 of everything but itself.
 */
final class CacheEntry {

    static final int SLOT_BYTES = 512;

    private static final int CHECKSUM_AT = 8;
    private static final int LENGTHS_AT = 16;
    private static final int CONTENT_AT = 20;

    /** Key and value together. */
    static final int MOST_BYTES = SLOT_BYTES - CONTENT_AT;

    private CacheEntry() {}

    /** What a slot has for a key. */
    enum State {
        /** The value. */
        HIT,
        /** Nothing, or another key. */
        OTHER,
        /** An entry that is being rewritten: look again. */
        TORN
    }

    /** A slot as it was seen. */
    @SuppressWarnings("ArrayRecordComponent")
    record Seen(State state, byte @Nullable [] value) {

        private static final Seen OTHER = new Seen(State.OTHER, null);
        private static final Seen TORN = new Seen(State.TORN, null);
    }

    /** Rewrites a slot while others read it. One writer at a time. */
    static void write(MemorySegment slot, long version, byte[] key, byte[] value) {
        byte[] entry = encode(version, key, value);
        MemorySegment.copy(entry, 0, slot, ValueLayout.JAVA_BYTE, 0, entry.length);
    }

    static byte[] encode(long version, byte[] key, byte[] value) {
        if (version == 0 || key.length + value.length > MOST_BYTES) {
            throw new IllegalArgumentException("an entry of version " + version + " with " + key.length + " + "
                    + value.length + " bytes: it has a version, and at most " + MOST_BYTES + " bytes");
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

    /** The version in a copy of a slot. */
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
