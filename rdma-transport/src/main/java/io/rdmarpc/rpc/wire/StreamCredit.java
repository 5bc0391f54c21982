package io.rdmarpc.rpc.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The payload of a stream's acknowledgment, little-endian.
 *
 * <pre>
 *  0                                   8
 *  +-----------------------------------+
 *  | credit limit                      |     the first sequence number that may not be sent
 *  +-----------------------------------+
 * </pre>
 */
public final class StreamCredit {

    /** Length on the wire in bytes. */
    public static final int BYTES = 8;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private StreamCredit() {}

    /**
     * Writes a limit.
     *
     * @param memory the memory to write to
     * @param at offset of its first byte
     * @param limit the first sequence number that may not be sent
     */
    public static void write(MemorySegment memory, long at, long limit) {
        memory.set(LONG, at, limit);
    }

    /**
     * Reads a limit.
     *
     * @param memory the memory that holds the limit
     * @param at offset of its first byte
     * @return the first sequence number that may not be sent, not checked
     */
    public static long read(MemorySegment memory, long at) {
        return memory.get(LONG, at);
    }
}
