package io.rdmarpc.verbs.soft.wire;

import java.nio.ByteBuffer;

/**
 * Where the requester of a READ finds the bytes itself, in place of the packets of a response. Never leaves a host: the
 * opcode is of those that are each manufacturer's own (InfiniBand Architecture Specification vol. 1, 9.2.1).
 *
 * <pre>
 *   byte 16         20                24                        32         36          40
 *        entry u32  registration u32  offset in the pages u64   pages u32  length u32
 * </pre>
 *
 * The entry of the requester's key table stands for the key that it has asked with, as long as it holds that key and the
 * registration. Pages 0 are {@link #NOWHERE}.
 */
public final class GrantEth {

    /** Length in bytes. */
    public static final int BYTES = 24;

    /** In place of pages: the requester cannot find the bytes itself. */
    public static final int NOWHERE = 0;

    /** Behind BTH and AETH, as in the first packet of a response. */
    public static final int OFFSET = Bth.BYTES + Aeth.BYTES;

    private static final int GRANT = OFFSET;
    private static final int PAGES_OFFSET = OFFSET + 8;
    private static final int PAGES = OFFSET + 16;
    private static final int LENGTH = OFFSET + 20;

    private GrantEth() {}

    /**
     * Writes the header.
     *
     * @param grant entry and registration as one number, the entry in its upper half
     */
    public static void write(ByteBuffer packet, long grant, int pages, long pagesOffset, int length) {
        packet.putLong(GRANT, grant);
        packet.putLong(PAGES_OFFSET, pagesOffset);
        packet.putInt(PAGES, pages);
        packet.putInt(LENGTH, length);
    }

    /** Returns entry and registration of the key that must be valid when the bytes have been copied. */
    public static long grant(ByteBuffer packet) {
        return packet.getLong(GRANT);
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
