package io.rdmarpc.verbs.soft.wire;

import java.nio.ByteBuffer;

/**
 * The base transport header at the start of every packet (InfiniBand Architecture Specification vol. 1, 9.2).
 *
 * <pre>
 *   byte 0       1                            2         4      5         8             9        12
 *        opcode  S|M|pad count 2|version 4    pkey u16  resv   dest QPN  A|reserved 7  PSN u24
 * </pre>
 *
 * S: solicited event. M: migration state, sent as 1. A: acknowledgment requested. The version is 0; the top bits of
 * byte 4 are FECN and BECN in RoCE v2 (annex A17), which routers may change.
 */
public final class Bth {

    /** Length in bytes. */
    public static final int BYTES = 12;

    /** The default partition, full member. */
    public static final int DEFAULT_PKEY = 0xFFFF;

    private static final int FLAGS = 1;
    private static final int PKEY = 2;
    private static final int DESTINATION_QP = 4;
    private static final int PSN = 8;

    private static final int SOLICITED = 0x80;
    private static final int MIGRATED = 0x40;
    private static final int ACK_REQUESTED = 0x80;
    /** Bit 0x01 is not used, because earlier versions requested another form of grants with it. */
    private static final int ACCEPTS_GRANTS = 0x04;

    private static final int GRANT_REVOKED = 0x02;
    private static final int ACCEPTS_NO_BYTES = 0x08;
    /** Opcode, version and partition key. */
    private static final long PLAIN_MASK = 0xFF0F_FFFFL;

    private static final int LOW_24_BITS = 0xFF_FFFF;

    private Bth() {}

    /** Writes the header by two stores: a load right after byte stores to the same word would stall. */
    public static void write(
            ByteBuffer packet, int opcode, int padCount, int destinationQp, int psn, boolean requestAck) {
        packet.putLong(0, firstWord(opcode, padCount, destinationQp));
        packet.putInt(PSN, (psn & LOW_24_BITS) | (requestAck ? ACK_REQUESTED << 24 : 0));
    }

    /**
     * Returns the receiver's queue pair.
     *
     * @param firstWord the first eight bytes of a header as one number
     * @return its number
     */
    public static int destinationQp(long firstWord) {
        return (int) firstWord & LOW_24_BITS;
    }

    /**
     * Returns whether a header begins as {@link #firstWord(int, int, int)} writes it, with any padding, receiver,
     * solicited bit and migration bit.
     *
     * @param firstWord the first eight bytes of a header as one number
     * @param opcode operation and transport
     * @return false also for another version or partition key
     */
    public static boolean isPlain(long firstWord, int opcode) {
        return (firstWord >>> 32 & PLAIN_MASK) == ((long) opcode << 24 | DEFAULT_PKEY);
    }

    /**
     * Returns the number of padding bytes after the payload, to a multiple of four.
     *
     * @param firstWord the first eight bytes of a header as one number
     * @return 0 to 3
     */
    public static int padCount(long firstWord) {
        return (int) (firstWord >>> 52) & 3;
    }

    /**
     * Returns whether the sender requests a solicited event.
     *
     * @param firstWord the first eight bytes of a header as one number
     * @return the solicited event bit
     */
    public static boolean isSolicited(long firstWord) {
        return (firstWord >>> 48 & SOLICITED) != 0;
    }

    /**
     * Returns the first eight bytes of a header, which precede the PSN.
     *
     * @param opcode operation and transport
     * @param padCount padding bytes after the payload, to a multiple of four
     * @param destinationQp the receiver's queue pair
     * @return the bytes as one number, the first one highest
     */
    public static long firstWord(int opcode, int padCount, int destinationQp) {
        int first = (opcode << 24) | ((MIGRATED | (padCount << 4)) << 16) | DEFAULT_PKEY;
        return ((long) first << 32) | (destinationQp & LOW_24_BITS);
    }

    /**
     * Marks that the response may be a {@link GrantEth grant}. The bit is reserved, and is 0 in packets to other hosts.
     */
    public static void markAcceptsGrants(ByteBuffer packet) {
        packet.put(PSN, (byte) (packet.get(PSN) | ACCEPTS_GRANTS));
    }

    /** Returns whether the response may be a grant. */
    public static boolean acceptsGrants(ByteBuffer packet) {
        return (packet.get(PSN) & ACCEPTS_GRANTS) != 0;
    }

    /** Marks that the response has to be a grant, even of {@link GrantEth#NOWHERE}; also a reserved bit. */
    public static void markAcceptsNoBytes(ByteBuffer packet) {
        packet.put(PSN, (byte) (packet.get(PSN) | ACCEPTS_NO_BYTES));
    }

    /** Returns whether the requester does not accept bytes as a response. */
    public static boolean acceptsNoBytes(ByteBuffer packet) {
        return (packet.get(PSN) & ACCEPTS_NO_BYTES) != 0;
    }

    /** Marks that an earlier grant could not be used; also a reserved bit. */
    public static void markGrantRevoked(ByteBuffer packet) {
        packet.put(PSN, (byte) (packet.get(PSN) | GRANT_REVOKED));
    }

    /** Returns whether an earlier grant could not be used. */
    public static boolean isGrantRevoked(ByteBuffer packet) {
        return (packet.get(PSN) & GRANT_REVOKED) != 0;
    }

    /** Requests a solicited event of the receiver; only for the last packet of a message that uses a receive. */
    public static void markSolicited(ByteBuffer packet) {
        packet.put(FLAGS, (byte) (packet.get(FLAGS) | SOLICITED));
    }

    /** Returns whether the sender requests a solicited event. */
    public static boolean isSolicited(ByteBuffer packet) {
        return (packet.get(FLAGS) & SOLICITED) != 0;
    }

    /** Returns the {@link Opcode}. */
    public static int opcode(ByteBuffer packet) {
        return Byte.toUnsignedInt(packet.get(0));
    }

    /** Returns the number of padding bytes after the payload, 0 to 3. */
    public static int padCount(ByteBuffer packet) {
        return (packet.get(FLAGS) >> 4) & 3;
    }

    /**
     * Returns the number of bytes that pad a payload to a multiple of four (InfiniBand Architecture Specification vol.
     * 1, 9.2): 0 to 3.
     */
    public static int padCountFor(int payloadBytes) {
        return -payloadBytes & 3;
    }

    /** Returns the header version; only 0 is known. */
    public static int version(ByteBuffer packet) {
        return packet.get(FLAGS) & 0xF;
    }

    /** Returns the partition key. */
    public static int pkey(ByteBuffer packet) {
        return Short.toUnsignedInt(packet.getShort(PKEY));
    }

    /** Returns the receiving queue pair's number. */
    public static int destinationQp(ByteBuffer packet) {
        return packet.getInt(DESTINATION_QP) & LOW_24_BITS;
    }

    /** Returns whether the sender requests an acknowledgment. */
    public static boolean requestsAck(ByteBuffer packet) {
        return packet.get(PSN) < 0;
    }

    /** Returns the packet sequence number. */
    public static int psn(ByteBuffer packet) {
        return packet.getInt(PSN) & LOW_24_BITS;
    }
}
