package io.rdmarpc.verbs.soft.wire;

import java.nio.ByteBuffer;

/**
 * The offer to copy a part of an RDMA WRITE to a peer on this host, instead of the packets of that part. Never leaves a
 * host; the response is a {@link GrantEth}.
 *
 * <pre>
 *   byte 12                           28          32            36
 *        RETH of the whole message    offset u32  length u32
 * </pre>
 */
public final class OfferEth {

    /** Length in bytes, including the RETH. */
    public static final int BYTES = 24;

    private static final int OFFSET = Bth.BYTES + Reth.BYTES;
    private static final int LENGTH = OFFSET + 4;

    private OfferEth() {}

    /** Writes the header after the {@link Reth}. */
    public static void write(ByteBuffer packet, int offset, int length) {
        packet.putInt(OFFSET, offset);
        packet.putInt(LENGTH, length);
    }

    /** Returns the offset of the part in the message. */
    public static int offset(ByteBuffer packet) {
        return packet.getInt(OFFSET);
    }

    /** Returns the length of the part in bytes. */
    public static int length(ByteBuffer packet) {
        return packet.getInt(LENGTH);
    }
}
