package io.rdmarpc.rpc.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The format of several messages in one packet. Each message has its own header and is independent of the others. All
 * but the last have {@link PacketHeader#FLAG_FOLLOWED}.
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
     * Returns the length of a message including the padding before the next message.
     *
     * @param bytes length of the message, header included
     * @return the length rounded up to 8 bytes
     */
    public static int padded(int bytes) {
        return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
    }

    /**
     * Sets the flag in a header that another message follows.
     *
     * @param memory the memory that holds the header
     * @param at offset of the header's first byte
     */
    public static void markFollowed(MemorySegment memory, long at) {
        int flags = PacketHeader.flags(PacketHeader.first(memory, at)) | PacketHeader.FLAG_FOLLOWED;
        memory.set(ValueLayout.JAVA_BYTE, at + FLAGS_AT, (byte) flags);
    }

    /**
     * Writes the padding after a message.
     *
     * @param memory the memory that holds the packet
     * @param end offset of the first byte after the message
     * @return offset of the next message
     */
    public static int pad(MemorySegment memory, int end) {
        int next = padded(end);
        for (int at = end; at < next; at++) {
            memory.set(ValueLayout.JAVA_BYTE, at, (byte) 0);
        }
        return next;
    }
}
