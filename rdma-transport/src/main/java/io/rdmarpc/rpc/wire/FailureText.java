package io.rdmarpc.rpc.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The payload of an answer that is a failure.
 *
 * <pre>
 *  0               1 + n
 *  +---+-----------+----------------+
 *  | n | type, n B | message, UTF-8 |      n: u8; longer type names are cut
 *  +---+-----------+----------------+
 * </pre>
 *
 * @param type class name of what was thrown, may be empty
 * @param message words for the caller
 */
public record FailureText(String type, String message) {

    private static final int MAX_TYPE_BYTES = 255;

    /**
     * Writes as much as fits.
     *
     * @param target where to, at least 1 byte
     * @return bytes written
     */
    public int write(MemorySegment target) {
        int room = (int) target.byteSize() - 1;
        byte[] typeBytes = cut(type, Math.min(MAX_TYPE_BYTES, room));
        byte[] messageBytes = cut(message, room - typeBytes.length);
        target.set(ValueLayout.JAVA_BYTE, 0, (byte) typeBytes.length);
        MemorySegment.copy(typeBytes, 0, target, ValueLayout.JAVA_BYTE, 1, typeBytes.length);
        MemorySegment.copy(messageBytes, 0, target, ValueLayout.JAVA_BYTE, 1L + typeBytes.length, messageBytes.length);
        return 1 + typeBytes.length + messageBytes.length;
    }

    /** The text in UTF-8, cut between two characters when it is longer. */
    static byte[] cut(String text, int most) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= most) {
            return bytes;
        }
        int end = most;
        while (end > 0 && (bytes[end] & 0xC0) == 0x80) {
            end--;
        }
        return Arrays.copyOf(bytes, end);
    }

    /**
     * Reads a failure; never throws, whatever the bytes.
     *
     * @param source the payload
     * @return the failure, with empty texts where there are none
     */
    public static FailureText read(MemorySegment source) {
        byte[] bytes = source.toArray(ValueLayout.JAVA_BYTE);
        if (bytes.length == 0) {
            return new FailureText("", "");
        }
        int typeEnd = Math.min(bytes.length, 1 + Byte.toUnsignedInt(bytes[0]));
        return new FailureText(
                new String(bytes, 1, typeEnd - 1, StandardCharsets.UTF_8),
                new String(bytes, typeEnd, bytes.length - typeEnd, StandardCharsets.UTF_8));
    }
}
