package io.rdmarpc.rpc.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The address from which the receiver of a LARGE packet READs the message, little-endian.
 *
 * <pre>
 *  0                 8        12         16
 *  +-----------------+--------+----------+
 *  | remote address  | rkey   | reserved |
 *  +-----------------+--------+----------+
 * </pre>
 */
public final class ReadDescriptor {

    /** Length on the wire in bytes. */
    public static final int BYTES = 16;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private ReadDescriptor() {}

    /**
     * Writes a descriptor.
     *
     * @param memory the memory to write to
     * @param at offset of its first byte
     * @param address first byte of the message in the sender's memory
     * @param rkey the key of that memory
     */
    public static void write(MemorySegment memory, long at, long address, int rkey) {
        memory.set(LONG, at, address);
        memory.set(INT, at + 8, rkey);
        memory.set(INT, at + 12, 0);
    }

    /**
     * Returns the address.
     *
     * @param memory the memory that holds the descriptor
     * @param at offset of its first byte
     * @return first byte of the message in the sender's memory
     */
    public static long address(MemorySegment memory, long at) {
        return memory.get(LONG, at);
    }

    /**
     * Returns the key.
     *
     * @param memory the memory that holds the descriptor
     * @param at offset of its first byte
     * @return the sender's rkey
     */
    public static int rkey(MemorySegment memory, long at) {
        return memory.get(INT, at + 8);
    }
}
