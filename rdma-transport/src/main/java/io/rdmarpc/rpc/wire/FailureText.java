package io.rdmarpc.rpc.wire;

import io.rdmarpc.verbs.PeerText;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The payload of a failure response.
 *
 * <pre>
 *  0             4   5           5 + n
 *  +-------------+---+-----------+----------------+
 *  | retry after | n | type, n B | message, UTF-8 |    retry after: u32, milliseconds, 0 for no hint, little-endian
 *  +-------------+---+-----------+----------------+    n: u8; longer type names are truncated
 * </pre>
 *
 * @param type class name of the exception, may be empty
 * @param message description for the caller
 * @param retryAfterMillis how long the caller should wait before it retries, in milliseconds; 0 without a hint
 */
public record FailureText(String type, String message, int retryAfterMillis) {

    private static final int MAX_TYPE_BYTES = 255;
    private static final int TYPE_AT = 5;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /**
     * Creates a failure without a retry hint.
     *
     * @param type class name of the exception, may be empty
     * @param message description for the caller
     */
    public FailureText(String type, String message) {
        this(type, message, 0);
    }

    /**
     * Writes as much of the texts as fits.
     *
     * @param target the memory to write to, at least 5 bytes
     * @return number of bytes written
     */
    public int write(MemorySegment target) {
        int room = (int) target.byteSize() - TYPE_AT;
        byte[] typeBytes = cut(type, Math.min(MAX_TYPE_BYTES, room));
        byte[] messageBytes = cut(message, room - typeBytes.length);
        int messageAt = TYPE_AT + typeBytes.length;
        target.set(INT, 0, retryAfterMillis);
        target.set(ValueLayout.JAVA_BYTE, TYPE_AT - 1, (byte) typeBytes.length);
        MemorySegment.copy(typeBytes, 0, target, ValueLayout.JAVA_BYTE, TYPE_AT, typeBytes.length);
        MemorySegment.copy(messageBytes, 0, target, ValueLayout.JAVA_BYTE, messageAt, messageBytes.length);
        return messageAt + messageBytes.length;
    }

    /** Returns the text in UTF-8, truncated between two characters if it is longer. */
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
     * Reads a failure. It accepts any bytes and never throws. The texts are {@linkplain PeerText sanitized}; only the
     * packet limits the length of the message.
     *
     * @param source the payload
     * @return the failure, with empty texts if they are missing
     */
    public static FailureText read(MemorySegment source) {
        byte[] bytes = source.toArray(ValueLayout.JAVA_BYTE);
        if (bytes.length < TYPE_AT) {
            return new FailureText("", "");
        }
        int typeEnd = Math.min(bytes.length, TYPE_AT + Byte.toUnsignedInt(bytes[TYPE_AT - 1]));
        return new FailureText(
                PeerText.of(new String(bytes, TYPE_AT, typeEnd - TYPE_AT, StandardCharsets.UTF_8), MAX_TYPE_BYTES),
                PeerText.of(new String(bytes, typeEnd, bytes.length - typeEnd, StandardCharsets.UTF_8), bytes.length),
                Math.max(0, source.get(INT, 0)));
    }
}
