package io.rdmarpc.rpc.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Several messages in one packet. Each has a header of its own, so nothing is known about one from another; all but the
 * last carry {@link PacketHeader#FLAG_FOLLOWED}.
 *
 * <pre>
 *   0                     n          p = n rounded up to 8        packet length
 *   +---------------------+----------+---------------------+------+
 *   | header and payload, | 0 .. 0   | header and payload, | ...  |
 *   | flag FOLLOWED       |          | no flag: the last   |      |
 *   +---------------------+----------+---------------------+------+
 * </pre>
 */
public final class BatchFormat {

    private static final int ALIGNMENT = 8;
    private static final int FLAGS_AT = 3;

    private BatchFormat() {}

    /**
     * Returns what a message takes when another one follows it.
     *
     * @param bytes its length, header included
     * @return the length rounded up
     */
    public static int padded(int bytes) {
        return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
    }

    /**
     * Says in a header that another message follows.
     *
     * @param memory where the header is
     * @param at offset of its first byte
     */
    public static void markFollowed(MemorySegment memory, long at) {
        int flags = PacketHeader.flags(PacketHeader.first(memory, at)) | PacketHeader.FLAG_FOLLOWED;
        memory.set(ValueLayout.JAVA_BYTE, at + FLAGS_AT, (byte) flags);
    }

    /**
     * Fills up behind a message.
     *
     * @param memory where the packet is
     * @param end offset of the first byte behind the message
     * @return where the next message begins
     */
    public static int pad(MemorySegment memory, int end) {
        int next = padded(end);
        for (int at = end; at < next; at++) {
            memory.set(ValueLayout.JAVA_BYTE, at, (byte) 0);
        }
        return next;
    }
}
