package io.rdmarpc.verbs.soft.wire;

import java.nio.ByteBuffer;

/**
 * What an RDMA WRITE says to a peer on this host in place of the packets of a part of it: may this part be copied? Never leaves
 * a host, see {@link GrantEth}, which is the answer.
 *
 * <pre>
 *   byte 12                           28          32            36
 *        RETH of the whole message    offset u32  length u32
 * </pre>
 */
public final class OfferEth {

    /** Length in bytes, RETH included. */
    public static final int BYTES = 24;

    private static final int OFFSET = Bth.BYTES + Reth.BYTES;
    private static final int LENGTH = OFFSET + 4;

    private OfferEth() {}

    /** Writes the header behind the {@link Reth}. */
    public static void write(ByteBuffer packet, int offset, int length) {
        packet.putInt(OFFSET, offset);
        packet.putInt(LENGTH, length);
    }

    /** Returns where the part begins in the message. */
    public static int offset(ByteBuffer packet) {
        return packet.getInt(OFFSET);
    }

    /** Returns how long the part is. */
    public static int length(ByteBuffer packet) {
        return packet.getInt(LENGTH);
    }
}
