package io.rdmarpc.rpc.wire;

import io.rdmarpc.rpc.error.RdmaErrorDetails;
import io.rdmarpc.verbs.PeerText;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The payload of a failure response.
 *
 * <pre>
 *  0             4   5           5 + n
 *  +-------------+---+-----------+----------------+
 *  | retry after | n | type, n B | message, UTF-8 |    retry after: u32, milliseconds, 0 for no hint, little-endian
 *  +-------------+---+-----------+----------------+    n: u8; longer type names are truncated
 *
 *  With bit 31 of retry after, to peers of version 5 or newer:
 *
 *  0             4   5           5 + n    7 + n          7 + n + m
 *  +-------------+---+-----------+--------+--------------+---------+
 *  | retry after | n | type, n B | m: u16 | message, m B | details |    details: see {@code ErrorDetailsCodec}
 *  +-------------+---+-----------+--------+--------------+---------+
 * </pre>
 *
 * @param type class name of the exception, may be empty
 * @param message description for the caller
 * @param retryAfterMillis how long the caller should wait before it retries, in milliseconds; 0 without a hint
 * @param details encoded details, empty for none
 */
@SuppressWarnings("ArrayRecordComponent") // compared by content
public record FailureText(String type, String message, int retryAfterMillis, byte[] details) {

    /** The first protocol version whose peers read details. */
    public static final int DETAILS_VERSION = 5;

    private static final byte[] NO_DETAILS = {};
    private static final int MAX_TYPE_BYTES = 255;
    private static final int TYPE_AT = 5;
    private static final int DETAILS_BIT = 1 << 31;
    /** The part of the payload that details leave for the message, if the message needs it. */
    private static final int MESSAGE_SHARE = 4;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

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
     * Creates a failure without details.
     *
     * @param type class name of the exception, may be empty
     * @param message description for the caller
     * @param retryAfterMillis how long the caller should wait before it retries, in milliseconds; 0 without a hint
     */
    public FailureText(String type, String message, int retryAfterMillis) {
        this(type, message, retryAfterMillis, NO_DETAILS);
    }

    /**
     * Creates a failure with as much of the details as fits a packet.
     *
     * @param type class name of the exception, may be empty
     * @param message description for the caller
     * @param details the details
     * @param payloadBytes payload of the packet; 0 if the peer reads only the retry delay of the details
     * @return the failure
     */
    public static FailureText of(String type, String message, RdmaErrorDetails details, int payloadBytes) {
        int millis = millis(details.retryDelay());
        if (payloadBytes == 0 || details.hasOnlyRetryDelay()) {
            return new FailureText(type, message, millis);
        }
        int typeBytes = Math.min(MAX_TYPE_BYTES, type.getBytes(StandardCharsets.UTF_8).length);
        int messageBytes = Math.min(payloadBytes / MESSAGE_SHARE, message.getBytes(StandardCharsets.UTF_8).length);
        int room = payloadBytes - TYPE_AT - typeBytes - Short.BYTES - messageBytes;
        return new FailureText(type, message, millis, ErrorDetailsCodec.encode(details, room));
    }

    /** Rounds up: a caller that retries too early is rejected again. */
    private static int millis(Duration delay) {
        try {
            return Math.clamp(delay.plusNanos(999_999).toMillis(), 0, Integer.MAX_VALUE);
        } catch (ArithmeticException e) {
            return Integer.MAX_VALUE;
        }
    }

    /**
     * Writes as much of the texts as fits. Omits the details if they do not fit behind an empty message.
     *
     * @param target the memory to write to, at least 5 bytes
     * @return number of bytes written
     */
    public int write(MemorySegment target) {
        int room = (int) target.byteSize() - TYPE_AT;
        byte[] typeBytes = cut(type, Math.min(MAX_TYPE_BYTES, room));
        room -= typeBytes.length;
        boolean detailed = details.length > 0 && details.length + Short.BYTES <= room;
        byte[] messageBytes = cut(message, detailed ? room - details.length - Short.BYTES : room);
        target.set(INT, 0, detailed ? retryAfterMillis | DETAILS_BIT : retryAfterMillis);
        target.set(ValueLayout.JAVA_BYTE, TYPE_AT - 1, (byte) typeBytes.length);
        int at = put(typeBytes, target, TYPE_AT);
        if (!detailed) {
            return put(messageBytes, target, at);
        }
        target.set(SHORT, at, (short) messageBytes.length);
        return put(details, target, put(messageBytes, target, at + Short.BYTES));
    }

    /** Returns the offset behind the bytes. */
    private static int put(byte[] bytes, MemorySegment target, int at) {
        MemorySegment.copy(bytes, 0, target, ValueLayout.JAVA_BYTE, at, bytes.length);
        return at + bytes.length;
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
        MemorySegment copy = MemorySegment.ofArray(bytes);
        int retry = copy.get(INT, 0);
        int typeEnd = Math.min(bytes.length, TYPE_AT + Byte.toUnsignedInt(bytes[TYPE_AT - 1]));
        int messageAt = typeEnd;
        int messageEnd = bytes.length;
        if ((retry & DETAILS_BIT) != 0 && bytes.length >= typeEnd + Short.BYTES) {
            messageAt = typeEnd + Short.BYTES;
            messageEnd = Math.min(bytes.length, messageAt + Short.toUnsignedInt(copy.get(SHORT, typeEnd)));
        }
        return new FailureText(
                PeerText.of(new String(bytes, TYPE_AT, typeEnd - TYPE_AT, StandardCharsets.UTF_8), MAX_TYPE_BYTES),
                PeerText.of(new String(bytes, messageAt, messageEnd - messageAt, StandardCharsets.UTF_8), bytes.length),
                retry & ~DETAILS_BIT,
                Arrays.copyOfRange(bytes, messageEnd, bytes.length));
    }

    /**
     * Decodes the details.
     *
     * @return the details with the retry delay; never throws
     */
    public RdmaErrorDetails errorDetails() {
        if (details.length == 0 && retryAfterMillis == 0) {
            return RdmaErrorDetails.NONE;
        }
        RdmaErrorDetails.Builder builder =
                RdmaErrorDetails.builder().retryDelay(Duration.ofMillis(Math.max(0, retryAfterMillis)));
        ErrorDetailsCodec.decode(details, builder);
        return builder.build();
    }

    /** Compares the details by content. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof FailureText that
                && type.equals(that.type)
                && message.equals(that.message)
                && retryAfterMillis == that.retryAfterMillis
                && Arrays.equals(details, that.details);
    }

    @Override
    public int hashCode() {
        return Objects.hash(type, message, retryAfterMillis, Arrays.hashCode(details));
    }

    @Override
    public String toString() {
        return "FailureText[type=" + type + ", message=" + message + ", retryAfterMillis=" + retryAfterMillis
                + ", details=" + details.length + " bytes]";
    }
}
