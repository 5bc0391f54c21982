package io.rdmarpc.service;

import io.rdmarpc.verbs.PeerText;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Metadata in front of the arguments of a call, little-endian, without padding.
 *
 * <pre>
 *  0        2        4
 *  +--------+--------+------------+-----------+--------------+-------------+----
 *  | bytes  | count  | key bytes  | key       | value bytes  | value       | next pair
 *  | u16    | u16    | u16        | UTF-8     | u16          | UTF-8       |
 *  +--------+--------+------------+-----------+--------------+-------------+----
 *  bytes: of the whole block, these two included: 4 to 8192
 * </pre>
 *
 * <p>A call's packet says by a flag that there is a block, see {@link io.rdmarpc.memory.MessageBuffer#metadata}. The first
 * message of a stream of a service always begins with one, empty or not.
 */
public final class MetadataBlock {

    /** Length of a block without pairs. */
    public static final int HEADER_BYTES = 4;

    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private MetadataBlock() {}

    /**
     * Returns how long a block is.
     *
     * @param metadata what it holds
     * @return bytes
     */
    public static int bytesOf(CallMetadata metadata) {
        return metadata.encodedBytes();
    }

    static int bytesOf(String key, String value) {
        return 2 * Short.BYTES + utf8Bytes(key) + utf8Bytes(value);
    }

    private static int utf8Bytes(String text) {
        int length = text.length();
        for (int i = 0; i < length; i++) {
            if (text.charAt(i) > 0x7F) {
                return text.getBytes(StandardCharsets.UTF_8).length;
            }
        }
        return length;
    }

    /**
     * Writes a block.
     *
     * @param metadata what it holds
     * @param to {@link #bytesOf(CallMetadata)} bytes
     */
    public static void write(CallMetadata metadata, MemorySegment to) {
        Map<String, String> pairs = metadata.asMap();
        to.set(SHORT, 0, (short) metadata.encodedBytes());
        to.set(SHORT, Short.BYTES, (short) pairs.size());
        long at = HEADER_BYTES;
        for (Map.Entry<String, String> pair : pairs.entrySet()) {
            at = writeText(pair.getKey(), to, at);
            at = writeText(pair.getValue(), to, at);
        }
    }

    private static long writeText(String text, MemorySegment to, long at) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        to.set(SHORT, at, (short) utf8.length);
        MemorySegment.copy(utf8, 0, to, ValueLayout.JAVA_BYTE, at + Short.BYTES, utf8.length);
        return at + Short.BYTES + utf8.length;
    }

    /**
     * Finds out where the arguments begin.
     *
     * @param message a message that begins with a block
     * @return the block's length
     * @throws RdmaSerializationException when the message cannot hold it
     */
    public static int bytesOf(MemorySegment message) {
        if (message.byteSize() < HEADER_BYTES) {
            throw broken("the message has " + message.byteSize() + " bytes, its header " + HEADER_BYTES);
        }
        int bytes = Short.toUnsignedInt(message.get(SHORT, 0));
        if (bytes < HEADER_BYTES || bytes > CallMetadata.MAX_BYTES || bytes > message.byteSize()) {
            throw broken("it claims " + bytes + " bytes of a message of " + message.byteSize() + "; it may have "
                    + HEADER_BYTES + " to " + CallMetadata.MAX_BYTES);
        }
        return bytes;
    }

    /**
     * Reads a block.
     *
     * @param message a message that begins with one
     * @return its pairs, read only
     * @throws RdmaSerializationException when it is not one
     */
    public static CallMetadata read(MemorySegment message) {
        return read(message, bytesOf(message));
    }

    /**
     * Reads a block whose length is known. The block is copied first, and its length is not read again: in memory that the caller still
     * has mapped both can change at any time.
     *
     * @param message a message that begins with one
     * @param bytes the block's length, from {@link #bytesOf(MemorySegment)}
     * @return its pairs, read only
     * @throws RdmaSerializationException when it is not one
     */
    public static CallMetadata read(MemorySegment message, int bytes) {
        ByteBuffer block = ByteBuffer.wrap(message.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE))
                .order(ByteOrder.LITTLE_ENDIAN);
        block.position(Short.BYTES);
        int count = Short.toUnsignedInt(block.getShort());
        Map<String, String> pairs = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            String key = readText(block);
            if (key.isEmpty() || pairs.put(key, readText(block)) != null) {
                throw broken("the key '" + PeerText.of(key) + "' is empty or there twice");
            }
        }
        if (block.hasRemaining()) {
            throw broken("its " + count + " pairs leave " + block.remaining() + " bytes over");
        }
        return CallMetadata.readOnly(pairs);
    }

    private static String readText(ByteBuffer block) {
        int left = block.remaining() - Short.BYTES;
        int length = left < 0 ? 0 : Short.toUnsignedInt(block.getShort());
        if (left < 0 || length > left) {
            throw broken("a text of " + length + " bytes is claimed where " + Math.max(0, left) + " are left");
        }
        ByteBuffer utf8 = block.slice(block.position(), length);
        block.position(block.position() + length);
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(utf8).toString();
        } catch (CharacterCodingException e) {
            throw new RdmaSerializationException(
                    "the metadata of the call cannot be read: it has text that is not UTF-8", e);
        }
    }

    private static RdmaSerializationException broken(String how) {
        return new RdmaSerializationException("the metadata of the call cannot be read: " + how, null);
    }
}
