package io.rdmarpc.verbs.soft.wire;

import java.nio.ByteBuffer;

/**
 * Reports that a part of an RDMA WRITE is copied that was {@link OfferEth offered} and {@link GrantEth granted}.
 *
 * <pre>
 *   byte 12          16             20             24
 *        length u32  immediate 0/1  ImmDt
 * </pre>
 */
public final class CopiedEth {

    /** Length in bytes. */
    public static final int BYTES = 12;

    private static final int LENGTH = Bth.BYTES;
    private static final int HAS_IMMEDIATE = LENGTH + 4;
    private static final int IMMEDIATE = HAS_IMMEDIATE + 4;

    private CopiedEth() {}

    /** Writes the header of a part without immediate data. */
    public static void write(ByteBuffer packet, int length) {
        packet.putInt(LENGTH, length);
        packet.putInt(HAS_IMMEDIATE, 0);
        packet.putInt(IMMEDIATE, 0);
    }

    /** Adds immediate data. */
    public static void addImmediate(ByteBuffer packet, int value) {
        packet.putInt(HAS_IMMEDIATE, 1);
        packet.putInt(IMMEDIATE, value);
    }

    /** Returns the number of copied bytes. */
    public static int length(ByteBuffer packet) {
        return packet.getInt(LENGTH);
    }

    /** Returns whether there is immediate data. */
    public static boolean hasImmediate(ByteBuffer packet) {
        return packet.getInt(HAS_IMMEDIATE) != 0;
    }

    /** Returns the immediate data. */
    public static int immediate(ByteBuffer packet) {
        return packet.getInt(IMMEDIATE);
    }
}
