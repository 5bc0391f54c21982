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
 * Metadata before the arguments of a call, little-endian, without padding.
 *
 * <pre>
 *  0        2        4
 *  +--------+--------+------------+-----------+--------------+-------------+----
 *  | bytes  | count  | key bytes  | key       | value bytes  | value       | next pair
 *  | u16    | u16    | u16        | UTF-8     | u16          | UTF-8       |
 *  +--------+--------+------------+-----------+--------------+-------------+----
 *  bytes: of the whole block, including these two: 4 to 8192
 * </pre>
 *
 * <p>A flag of a call's packet indicates a block, see {@link io.rdmarpc.memory.MessageBuffer#metadata}. The first
 * message of a service stream always begins with a block, which may be empty.
 */
public final class MetadataBlock {

    /** Length of a block without pairs. */
    public static final int HEADER_BYTES = 4;

    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private MetadataBlock() {}

    /**
     * Returns the length of a block.
     *
     * @param metadata the metadata
     * @return the length in bytes
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
     * Encodes a block.
     *
     * @param metadata the metadata
     * @param to a segment of {@link #bytesOf(CallMetadata)} bytes
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
     * Returns the offset of the arguments.
     *
     * @param message a message that begins with a block
     * @return the length of the block in bytes
     * @throws RdmaSerializationException if the message is too short for the block
     */
    public static int bytesOf(MemorySegment message) {
        if (message.byteSize() < HEADER_BYTES) {
            throw invalid(
                    "the message has " + message.byteSize() + " bytes, the header of the metadata " + HEADER_BYTES);
        }
        int bytes = Short.toUnsignedInt(message.get(SHORT, 0));
        if (bytes < HEADER_BYTES || bytes > CallMetadata.MAX_BYTES || bytes > message.byteSize()) {
            throw invalid("its length is " + bytes + " bytes in a message of " + message.byteSize() + " bytes; "
                    + "allowed are "
                    + HEADER_BYTES + " to " + CallMetadata.MAX_BYTES);
        }
        return bytes;
    }

    /**
     * Decodes a block.
     *
     * @param message a message that begins with a block
     * @return its pairs, read-only
     * @throws RdmaSerializationException if the block is invalid
     */
    public static CallMetadata read(MemorySegment message) {
        return read(message, bytesOf(message));
    }

    /**
     * Decodes a block of known length. It copies the block first and does not read its length again, because the caller
     * can change memory that it still has mapped.
     *
     * @param message a message that begins with a block
     * @param bytes the length of the block, from {@link #bytesOf(MemorySegment)}
     * @return its pairs, read-only
     * @throws RdmaSerializationException if the block is invalid
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
                throw invalid("the key '" + PeerText.of(key) + "' is empty or occurs twice");
            }
        }
        if (block.hasRemaining()) {
            throw invalid(block.remaining() + " bytes follow its " + count + " pairs");
        }
        return CallMetadata.readOnly(pairs);
    }

    private static String readText(ByteBuffer block) {
        int left = block.remaining() - Short.BYTES;
        int length = left < 0 ? 0 : Short.toUnsignedInt(block.getShort());
        if (left < 0 || length > left) {
            throw invalid("a text has " + length + " bytes, but only " + Math.max(0, left) + " remain");
        }
        ByteBuffer utf8 = block.slice(block.position(), length);
        block.position(block.position() + length);
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(utf8).toString();
        } catch (CharacterCodingException e) {
            throw new RdmaSerializationException("The metadata of the call cannot be decoded: a text is not UTF-8", e);
        }
    }

    private static RdmaSerializationException invalid(String problem) {
        return new RdmaSerializationException("The metadata of the call cannot be decoded: " + problem, null);
    }
}
