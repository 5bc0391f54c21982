package io.rdmarpc.rpc.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The payload of a call that opens a stream, and of its response, little-endian.
 *
 * <pre>
 *  0                 4           8          12         16                       24
 *  +-----------------+-----------+----------+----------+------------------------+
 *  | "RSTM"          | stream    | credits  | 0        | remaining microseconds |      call
 *  +-----------------+-----------+----------+----------+------------------------+
 *  | "RSTM"          | stream    | credits  | 0        |                               response
 *  +-----------------+-----------+----------+----------+
 * </pre>
 *
 * @param stream the client's number of the stream
 * @param credits messages that the sender of this packet allows the other side to send
 * @param remainingMicros remaining lifetime of the stream in microseconds
 */
public record StreamOpening(int stream, int credits, long remainingMicros) {

    /** Length of the call's payload in bytes. */
    public static final int CALL_BYTES = 24;

    /** Length of the response's payload in bytes. */
    public static final int RESPONSE_BYTES = 16;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int MAGIC = 'R' | 'S' << 8 | 'T' << 16 | 'M' << 24;

    /**
     * Writes a call's payload.
     *
     * @param target memory of at least {@link #CALL_BYTES}
     */
    public void writeCall(MemorySegment target) {
        writeResponse(target);
        target.set(LONG, 16, remainingMicros);
    }

    /**
     * Writes a response's payload.
     *
     * @param target memory of at least {@link #RESPONSE_BYTES}
     */
    public void writeResponse(MemorySegment target) {
        target.set(INT, 0, MAGIC);
        target.set(INT, 4, stream);
        target.set(INT, 8, credits);
        target.set(INT, 12, 0);
    }

    /**
     * Returns whether a payload opens a stream.
     *
     * @param payload a call's payload
     * @return true if {@link #read} can read it
     */
    public static boolean isCall(MemorySegment payload) {
        return payload.byteSize() == CALL_BYTES && payload.get(INT, 0) == MAGIC;
    }

    /**
     * Returns whether a payload accepts a stream.
     *
     * @param payload a response's payload
     * @return true if {@link #read} can read it
     */
    public static boolean isResponse(MemorySegment payload) {
        return payload.byteSize() == RESPONSE_BYTES && payload.get(INT, 0) == MAGIC;
    }

    /**
     * Reads a payload that {@link #isCall} or {@link #isResponse} has accepted.
     *
     * @param payload payload of a call or a response
     * @return the fields; the remaining time is 0 in a response
     */
    public static StreamOpening read(MemorySegment payload) {
        long micros = payload.byteSize() == CALL_BYTES ? payload.get(LONG, 16) : 0;
        return new StreamOpening(payload.get(INT, 4), payload.get(INT, 8), micros);
    }
}
