package io.rdmarpc.verbs.soft.wire;

import java.nio.ByteBuffer;

/**
 * The location of memory that the requester maps. The requester copies the bytes of a READ from there, or those of an
 * offered WRITE to there, instead of using packets. Never leaves a host: the opcode is from the range reserved for
 * manufacturers (InfiniBand Architecture Specification vol. 1, 9.2.1).
 *
 * <pre>
 *   byte 16         20                24                        32         36          40
 *        entry u32  registration u32  offset in the pages u64   pages u32  length u32
 * </pre>
 *
 * The entry of the requester's key table represents the key of the request, as long as it holds that key with the
 * registration. The value 0 of pages is {@link #NOWHERE}.
 */
public final class GrantEth {

    /** Length in bytes. */
    public static final int BYTES = 24;

    /** The value of pages if the requester cannot map the bytes. */
    public static final int NOWHERE = 0;

    /** Offset in the packet, after BTH and AETH as in the first packet of a response. */
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

    /** Returns entry and registration of the key, which must still be valid after the bytes were copied. */
    public static long grant(ByteBuffer packet) {
        return packet.getLong(GRANT);
    }

    /** Returns the number of the peer's shared memory object. */
    public static int pages(ByteBuffer packet) {
        return packet.getInt(PAGES);
    }

    /** Returns the offset of the bytes in that object. */
    public static long pagesOffset(ByteBuffer packet) {
        return packet.getLong(PAGES_OFFSET);
    }

    /** Returns the number of bytes. */
    public static int length(ByteBuffer packet) {
        return packet.getInt(LENGTH);
    }
}
