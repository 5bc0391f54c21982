package io.rdmarpc.verbs.soft.wire;

import java.nio.ByteBuffer;

/**
 * Immediate data, the last header before the payload (InfiniBand Architecture Specification vol. 1, 9.3.6).
 *
 * <pre>
 *   SEND: byte 12   WRITE last: byte 12   WRITE only: byte 28, after the RETH   UD: byte 20, after the DETH
 *         u32
 * </pre>
 */
public final class ImmDt {

    /** Length in bytes. */
    public static final int BYTES = 4;

    private ImmDt() {}

    /** Writes the header. */
    public static void write(ByteBuffer packet, int at, int value) {
        packet.putInt(at, value);
    }

    /** Returns the 32 bits of the sender. */
    public static int value(ByteBuffer packet, int at) {
        return packet.getInt(at);
    }
}
