package io.rdmarpc.verbs.soft.wire;

import java.nio.ByteBuffer;

/**
 * The answer to an atomic request (InfiniBand Architecture Specification vol. 1, 9.3.5.3).
 *
 * <pre>
 *   byte 16                           24
 *        value found in memory u64
 * </pre>
 */
public final class AtomicAckEth {

    /** Length in bytes. */
    public static final int BYTES = 8;

    /** Where it starts in the packet. */
    public static final int OFFSET = Bth.BYTES + Aeth.BYTES;

    private AtomicAckEth() {}

    /** Writes the header behind the {@link Aeth}. */
    public static void write(ByteBuffer packet, long found) {
        packet.putLong(OFFSET, found);
    }

    /** Returns the value found. */
    public static long found(ByteBuffer packet) {
        return packet.getLong(OFFSET);
    }
}
