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
 * S: solicited event. M: migration state, sent as 1. A: acknowledge requested. The version is 0; the top bits of byte 4 are
 * FECN and BECN in RoCE v2 (annex A17), which routers may change.
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
    /** 0x01 asked for grants that named no entry of a key table. */
    private static final int TAKES_GRANTS = 0x04;

    private static final int GRANT_WAS_REVOKED = 0x02;
    private static final int TAKES_NO_BYTES = 0x08;
    /** Opcode, version and partition key. */
    private static final long PLAIN_MASK = 0xFF0F_FFFFL;

    private static final int LOW_24_BITS = 0xFF_FFFF;

    private Bth() {}

    /** Writes the header, in two pieces: what is stored byte by byte cannot be loaded at once right behind. */
    public static void write(ByteBuffer packet, int opcode, int padCount, int destinationQp, int psn, boolean askAck) {
        packet.putLong(0, firstWord(opcode, padCount, destinationQp));
        packet.putInt(PSN, (psn & LOW_24_BITS) | (askAck ? ACK_REQUESTED << 24 : 0));
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
     * Tells whether a header begins as {@link #firstWord(int, int, int)} writes it, whatever the padding, the receiver, the
     * solicited and the migration bit are.
     *
     * @param firstWord the first eight bytes of a header as one number
     * @param opcode operation and transport
     * @return false also for another version or partition key
     */
    public static boolean isPlain(long firstWord, int opcode) {
        return (firstWord >>> 32 & PLAIN_MASK) == ((long) opcode << 24 | DEFAULT_PKEY);
    }

    /**
     * Returns how many bytes behind the payload make its length a multiple of four.
     *
     * @param firstWord the first eight bytes of a header as one number
     * @return 0 to 3
     */
    public static int padCount(long firstWord) {
        return (int) (firstWord >>> 52) & 3;
    }

    /**
     * Tells whether the receiver is to be told at once.
     *
     * @param firstWord the first eight bytes of a header as one number
     * @return the solicited event bit
     */
    public static boolean isSolicited(long firstWord) {
        return (firstWord >>> 48 & SOLICITED) != 0;
    }

    /**
     * Returns the first eight bytes of a header, those before the PSN.
     *
     * @param opcode operation and transport
     * @param padCount bytes behind the payload that make its length a multiple of four
     * @param destinationQp the receiver's queue pair
     * @return the bytes as one number, the first one highest
     */
    public static long firstWord(int opcode, int padCount, int destinationQp) {
        int first = (opcode << 24) | ((MIGRATED | (padCount << 4)) << 16) | DEFAULT_PKEY;
        return ((long) first << 32) | (destinationQp & LOW_24_BITS);
    }

    /** Says that the answer may be a {@link GrantEth grant}; in a bit that is reserved, and 0 where others are to see it. */
    public static void markTakesGrants(ByteBuffer packet) {
        packet.put(PSN, (byte) (packet.get(PSN) | TAKES_GRANTS));
    }

    /** Tells whether the answer may be a grant. */
    public static boolean takesGrants(ByteBuffer packet) {
        return (packet.get(PSN) & TAKES_GRANTS) != 0;
    }

    /** Says that the answer is to be a grant, if only of {@link GrantEth#NOWHERE}; in a reserved bit too. */
    public static void markTakesNoBytes(ByteBuffer packet) {
        packet.put(PSN, (byte) (packet.get(PSN) | TAKES_NO_BYTES));
    }

    /** Tells whether bytes would be of no use as an answer. */
    public static boolean takesNoBytes(ByteBuffer packet) {
        return (packet.get(PSN) & TAKES_NO_BYTES) != 0;
    }

    /** Says that what was granted before could not be taken; in a reserved bit too. */
    public static void markGrantRevoked(ByteBuffer packet) {
        packet.put(PSN, (byte) (packet.get(PSN) | GRANT_WAS_REVOKED));
    }

    /** Tells whether what was granted before could not be taken. */
    public static boolean isGrantRevoked(ByteBuffer packet) {
        return (packet.get(PSN) & GRANT_WAS_REVOKED) != 0;
    }

    /** Asks the receiver for a solicited event; only the last packet of a message that takes a receive may. */
    public static void markSolicited(ByteBuffer packet) {
        packet.put(FLAGS, (byte) (packet.get(FLAGS) | SOLICITED));
    }

    /** Tells whether the sender asks for a solicited event. */
    public static boolean isSolicited(ByteBuffer packet) {
        return (packet.get(FLAGS) & SOLICITED) != 0;
    }

    /** Returns the {@link Opcode}. */
    public static int opcode(ByteBuffer packet) {
        return Byte.toUnsignedInt(packet.get(0));
    }

    /** Returns how many bytes of padding follow the payload, 0 to 3. */
    public static int padCount(ByteBuffer packet) {
        return (packet.get(FLAGS) >> 4) & 3;
    }

    /** Returns how many bytes make a payload a multiple of four (InfiniBand Architecture Specification vol. 1, 9.2): 0 to 3. */
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

    /** Returns whether the sender wants an acknowledgement. */
    public static boolean asksAck(ByteBuffer packet) {
        return packet.get(PSN) < 0;
    }

    /** Returns the packet sequence number. */
    public static int psn(ByteBuffer packet) {
        return packet.getInt(PSN) & LOW_24_BITS;
    }
}
