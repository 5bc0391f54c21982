package io.rdmarpc.verbs.soft.wire;

/**
 * BTH opcodes (InfiniBand Architecture Specification vol. 1, 9.2.1): the transport in the top three bits, the operation
 * in the rest.
 */
public final class Opcode {

    /** RC: asks for a range of memory; BTH, RETH. */
    public static final int RC_READ_REQUEST = 0x0C;

    /** RC: first packet of a READ response that has several; BTH, AETH, one path MTU. */
    public static final int RC_READ_RESPONSE_FIRST = 0x0D;

    /** RC: packet of a READ response between first and last; BTH, one path MTU. */
    public static final int RC_READ_RESPONSE_MIDDLE = 0x0E;

    /** RC: last packet of a READ response that has several; BTH, AETH, payload. */
    public static final int RC_READ_RESPONSE_LAST = 0x0F;

    /** RC: the only packet of a READ response; BTH, AETH, payload. */
    public static final int RC_READ_RESPONSE_ONLY = 0x10;

    /** RC: positive or negative acknowledgement; BTH, AETH. */
    public static final int RC_ACKNOWLEDGE = 0x11;

    /** UD: a datagram; BTH, DETH, payload. */
    public static final int UD_SEND_ONLY = 0x64;

    private static final int TRANSPORT_SHIFT = 5;
    private static final int RC = 0;
    private static final int UD = 3;

    private Opcode() {}

    /** Tells whether a packet is for an RC queue pair. */
    public static boolean isRc(int opcode) {
        return opcode >> TRANSPORT_SHIFT == RC;
    }

    /** Tells whether a packet is for a UD queue pair. */
    public static boolean isUd(int opcode) {
        return opcode >> TRANSPORT_SHIFT == UD;
    }

    /** Tells whether a packet belongs to a READ response. */
    public static boolean isReadResponse(int opcode) {
        return opcode >= RC_READ_RESPONSE_FIRST && opcode <= RC_READ_RESPONSE_ONLY;
    }

    /** Chooses the opcode of a READ response packet by its place. */
    public static int readResponse(boolean first, boolean last) {
        if (first) {
            return last ? RC_READ_RESPONSE_ONLY : RC_READ_RESPONSE_FIRST;
        }
        return last ? RC_READ_RESPONSE_LAST : RC_READ_RESPONSE_MIDDLE;
    }
}
