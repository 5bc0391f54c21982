package io.rdmarpc.verbs.soft.wire;

import java.nio.ByteBuffer;

/**
 * Where the requester of a READ finds the bytes itself, in place of the packets of a response. Never leaves a host: the
 * opcode is of those that are each manufacturer's own (InfiniBand Architecture Specification vol. 1, 9.2.1).
 *
 * <pre>
 *   byte 16        20        24                        32          36
 *        rkey u32  pages u32 offset in the pages u64   length u32
 * </pre>
 */
public final class GrantEth {

    /** Length in bytes. */
    public static final int BYTES = 20;

    /** Behind BTH and AETH, as in the first packet of a response. */
    public static final int OFFSET = Bth.BYTES + Aeth.BYTES;

    private static final int RKEY = OFFSET;
    private static final int PAGES = OFFSET + 4;
    private static final int PAGES_OFFSET = OFFSET + 8;
    private static final int LENGTH = OFFSET + 16;

    private GrantEth() {}

    /** Writes the header. */
    public static void write(ByteBuffer packet, int rkey, int pages, long pagesOffset, int length) {
        packet.putInt(RKEY, rkey);
        packet.putInt(PAGES, pages);
        packet.putLong(PAGES_OFFSET, pagesOffset);
        packet.putInt(LENGTH, length);
    }

    /** Returns the key that must be valid when the bytes have been copied. */
    public static int rkey(ByteBuffer packet) {
        return packet.getInt(RKEY);
    }

    /** Returns which of the peer's files. */
    public static int pages(ByteBuffer packet) {
        return packet.getInt(PAGES);
    }

    /** Returns where the bytes begin in that file. */
    public static long pagesOffset(ByteBuffer packet) {
        return packet.getLong(PAGES_OFFSET);
    }

    /** Returns how many bytes there are. */
    public static int length(ByteBuffer packet) {
        return packet.getInt(LENGTH);
    }
}
