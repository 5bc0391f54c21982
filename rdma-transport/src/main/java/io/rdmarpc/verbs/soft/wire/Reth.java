package io.rdmarpc.verbs.soft.wire;

import java.nio.ByteBuffer;

/**
 * The RDMA header of READ requests and of the first packet of a WRITE (InfiniBand Architecture Specification vol. 1,
 * 9.3.3).
 *
 * <pre>
 *   byte 12                   20        24              28
 *        virtual address u64  rkey u32  DMA length u32
 * </pre>
 */
public final class Reth {

    /** Length in bytes. */
    public static final int BYTES = 16;

    private static final int ADDRESS = Bth.BYTES;
    private static final int RKEY = ADDRESS + 8;
    private static final int LENGTH = RKEY + 4;

    private Reth() {}

    /** Writes the header after the {@link Bth}. */
    public static void write(ByteBuffer packet, long address, int rkey, int length) {
        packet.putLong(ADDRESS, address);
        packet.putInt(RKEY, rkey);
        packet.putInt(LENGTH, length);
    }

    /** Returns the first byte's address at the responder. */
    public static long address(ByteBuffer packet) {
        return packet.getLong(ADDRESS);
    }

    /** Returns the key of the responder's memory. */
    public static int rkey(ByteBuffer packet) {
        return packet.getInt(RKEY);
    }

    /** Returns the number of bytes, 0 to 4 GiB - 1. */
    public static long length(ByteBuffer packet) {
        return Integer.toUnsignedLong(packet.getInt(LENGTH));
    }
}
