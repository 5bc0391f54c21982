package io.rdmarpc.verbs.soft.wire;

import java.nio.ByteBuffer;

/**
 * The datagram header of UD packets (InfiniBand Architecture Specification vol. 1, 9.3.2).
 *
 * <pre>
 *   byte 12        16        17          20
 *        QKEY u32  reserved  source QPN
 * </pre>
 */
public final class Deth {

    /** Length in bytes. */
    public static final int BYTES = 8;

    /** Offset of the Q_Key in the packet. */
    public static final int QKEY = Bth.BYTES;

    /** Offset of the sender's queue pair number in the packet. */
    public static final int SOURCE_QP = QKEY + 4;

    private Deth() {}

    /** Writes the header after the {@link Bth}. */
    public static void write(ByteBuffer packet, int qkey, int sourceQp) {
        packet.putLong(QKEY, ((long) qkey << 32) | (sourceQp & 0xFF_FFFF));
    }

    /** Returns the Q_Key that the receiver must have. */
    public static int qkey(ByteBuffer packet) {
        return packet.getInt(QKEY);
    }

    /** Returns the sending queue pair's number. */
    public static int sourceQp(ByteBuffer packet) {
        return packet.getInt(SOURCE_QP) & 0xFF_FFFF;
    }
}
