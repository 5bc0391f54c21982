package io.rdmarpc.rpc.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The payload of a call that opens a stream, and of its answer, little-endian.
 *
 * <pre>
 *  0                 4           8          12         16                       24
 *  +-----------------+-----------+----------+----------+------------------------+
 *  | "RSTM"          | stream    | credits  | 0        | remaining microseconds |      call
 *  +-----------------+-----------+----------+----------+------------------------+
 *  | "RSTM"          | stream    | credits  | 0        |                               answer
 *  +-----------------+-----------+----------+----------+
 * </pre>
 *
 * @param stream the client's number for the stream
 * @param credits messages that the sender of this packet lets the other side send
 * @param remainingMicros how long the stream may live
 */
public record StreamOpening(int stream, int credits, long remainingMicros) {

    /** Length of the call's payload. */
    public static final int CALL_BYTES = 24;

    /** Length of the answer's payload. */
    public static final int ANSWER_BYTES = 16;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int MAGIC = 'R' | 'S' << 8 | 'T' << 16 | 'M' << 24;

    /**
     * Writes a call's payload.
     *
     * @param target at least {@link #CALL_BYTES}
     */
    public void writeCall(MemorySegment target) {
        writeAnswer(target);
        target.set(LONG, 16, remainingMicros);
    }

    /**
     * Writes an answer's payload.
     *
     * @param target at least {@link #ANSWER_BYTES}
     */
    public void writeAnswer(MemorySegment target) {
        target.set(INT, 0, MAGIC);
        target.set(INT, 4, stream);
        target.set(INT, 8, credits);
        target.set(INT, 12, 0);
    }

    /**
     * Tells whether a payload opens a stream.
     *
     * @param payload a call's payload
     * @return true when {@link #read} makes sense of it
     */
    public static boolean isCall(MemorySegment payload) {
        return payload.byteSize() == CALL_BYTES && payload.get(INT, 0) == MAGIC;
    }

    /**
     * Tells whether a payload accepts a stream.
     *
     * @param payload an answer's payload
     * @return true when {@link #read} makes sense of it
     */
    public static boolean isAnswer(MemorySegment payload) {
        return payload.byteSize() == ANSWER_BYTES && payload.get(INT, 0) == MAGIC;
    }

    /**
     * Reads a payload that was checked.
     *
     * @param payload of a call or an answer
     * @return what it says; no remaining time in an answer
     */
    public static StreamOpening read(MemorySegment payload) {
        long micros = payload.byteSize() == CALL_BYTES ? payload.get(LONG, 16) : 0;
        return new StreamOpening(payload.get(INT, 4), payload.get(INT, 8), micros);
    }
}
