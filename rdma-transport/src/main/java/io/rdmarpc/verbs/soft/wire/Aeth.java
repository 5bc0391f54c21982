package io.rdmarpc.verbs.soft.wire;

import java.nio.ByteBuffer;

/**
 * The acknowledge header (InfiniBand Architecture Specification vol. 1, 9.3.5; syndromes: 9.7.5.2).
 *
 * <pre>
 *   byte 12        13       16      syndrome: 000ccccc ACK, 001ttttt RNR NAK, 011nnnnn NAK
 *        syndrome  MSN u24
 * </pre>
 */
public final class Aeth {

    /** Length in bytes. */
    public static final int BYTES = 4;

    /** ACK without a limit by credits (credit code 31). */
    public static final int ACK = 0x1F;

    /** RNR NAK: no receive is posted; the low five bits are the code of the time to wait. */
    public static final int RNR = 0x20;

    /** NAK: an earlier packet is missing. */
    public static final int NAK_SEQUENCE = 0x60;

    /** NAK: the request is not valid for the responder. */
    public static final int NAK_INVALID_REQUEST = 0x61;

    /** NAK: the rkey, the range or the right does not allow the access. */
    public static final int NAK_REMOTE_ACCESS = 0x62;

    /** NAK: the responder failed. */
    public static final int NAK_REMOTE_OPERATIONAL = 0x63;

    private static final int KIND_MASK = 0xE0;
    private static final int KIND_ACK = 0x00;
    private static final int VALUE_MASK = 0x1F;

    private Aeth() {}

    /** Writes the header after the {@link Bth}. */
    public static void write(ByteBuffer packet, int syndrome, int msn) {
        packet.putInt(Bth.BYTES, (syndrome << 24) | (msn & 0xFF_FFFF));
    }

    /** Returns the syndrome byte. */
    public static int syndrome(ByteBuffer packet) {
        return Byte.toUnsignedInt(packet.get(Bth.BYTES));
    }

    /** Returns the responder's count of messages. */
    public static int msn(ByteBuffer packet) {
        return packet.getInt(Bth.BYTES) & 0xFF_FFFF;
    }

    /** Returns whether a syndrome is an ACK. */
    public static boolean isAck(int syndrome) {
        return (syndrome & KIND_MASK) == KIND_ACK;
    }

    /** Returns whether a syndrome is an RNR NAK. */
    public static boolean isRnr(int syndrome) {
        return (syndrome & KIND_MASK) == RNR;
    }

    /** Returns the code of the time to wait, see {@link RnrTimer}. */
    public static int rnrTimer(int syndrome) {
        return syndrome & VALUE_MASK;
    }
}
