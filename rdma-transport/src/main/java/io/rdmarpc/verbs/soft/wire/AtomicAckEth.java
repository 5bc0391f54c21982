package io.rdmarpc.verbs.soft.wire;

import java.nio.ByteBuffer;

/**
 * The response to an atomic request (InfiniBand Architecture Specification vol. 1, 9.3.5.3).
 *
 * <pre>
 *   byte 16                           24
 *        original value u64
 * </pre>
 */
public final class AtomicAckEth {

    /** Length in bytes. */
    public static final int BYTES = 8;

    /** Offset in the packet. */
    public static final int OFFSET = Bth.BYTES + Aeth.BYTES;

    private AtomicAckEth() {}

    /** Writes the header after the {@link Aeth}. */
    public static void write(ByteBuffer packet, long found) {
        packet.putLong(OFFSET, found);
    }

    /** Returns the original value. */
    public static long found(ByteBuffer packet) {
        return packet.getLong(OFFSET);
    }
}
