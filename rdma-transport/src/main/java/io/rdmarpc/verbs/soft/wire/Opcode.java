package io.rdmarpc.verbs.soft.wire;

/**
 * BTH opcodes (InfiniBand Architecture Specification vol. 1, 9.2.1): the transport in the top three bits, the operation
 * in the rest. SEND and WRITE have the same operations in all connected transports. RC is transport 0, so its opcodes
 * equal the operations.
 *
 * <pre>
 *   operation       first  middle  last  last, imm  only  only, imm    headers after the BTH
 *   SEND            0      1       2     3          4     5            ImmDt
 *   RDMA WRITE      6      7       8     9          0xA   0xB          RETH (first, only), ImmDt
 * </pre>
 */
public final class Opcode {

    /** SEND: first packet of several; BTH, one path MTU. */
    public static final int SEND_FIRST = 0x00;

    /** SEND: neither first nor last; BTH, one path MTU. */
    public static final int SEND_MIDDLE = 0x01;

    /** SEND: last packet of several; BTH, payload. */
    public static final int SEND_LAST = 0x02;

    /** SEND: last packet of several; BTH, ImmDt, payload. */
    public static final int SEND_LAST_IMMEDIATE = 0x03;

    /** SEND: the only packet; BTH, payload. */
    public static final int SEND_ONLY = 0x04;

    /** SEND: the only packet; BTH, ImmDt, payload. */
    public static final int SEND_ONLY_IMMEDIATE = 0x05;

    /** RDMA WRITE: first packet of several; BTH, RETH, one path MTU. */
    public static final int WRITE_FIRST = 0x06;

    /** RDMA WRITE: neither first nor last; BTH, one path MTU. */
    public static final int WRITE_MIDDLE = 0x07;

    /** RDMA WRITE: last packet of several; BTH, payload. */
    public static final int WRITE_LAST = 0x08;

    /** RDMA WRITE: last packet of several; BTH, ImmDt, payload. */
    public static final int WRITE_LAST_IMMEDIATE = 0x09;

    /** RDMA WRITE: the only packet; BTH, RETH, payload. */
    public static final int WRITE_ONLY = 0x0A;

    /** RDMA WRITE: the only packet; BTH, RETH, ImmDt, payload. */
    public static final int WRITE_ONLY_IMMEDIATE = 0x0B;

    /** RC: request for a range of memory; BTH, RETH. */
    public static final int RC_READ_REQUEST = 0x0C;

    /** RC: first packet of a READ response that has several; BTH, AETH, one path MTU. */
    public static final int RC_READ_RESPONSE_FIRST = 0x0D;

    /** RC: packet of a READ response between first and last; BTH, one path MTU. */
    public static final int RC_READ_RESPONSE_MIDDLE = 0x0E;

    /** RC: last packet of a READ response that has several; BTH, AETH, payload. */
    public static final int RC_READ_RESPONSE_LAST = 0x0F;

    /** RC: the only packet of a READ response; BTH, AETH, payload. */
    public static final int RC_READ_RESPONSE_ONLY = 0x10;

    /** RC: positive or negative acknowledgment; BTH, AETH. */
    public static final int RC_ACKNOWLEDGE = 0x11;

    /** RC: the original value of an atomic operation; BTH, AETH, AtomicAckETH. */
    public static final int RC_ATOMIC_ACKNOWLEDGE = 0x12;

    /**
     * Replaces a READ response: the location of its bytes in memory that both ends map. The opcode is from the range
     * reserved for manufacturers.
     */
    public static final int RC_READ_GRANT = 0xC0;

    /**
     * Replaces packets of an RDMA WRITE: the offer to copy their bytes into memory that both ends map. The opcode is
     * from the same range.
     */
    public static final int RC_WRITE_OFFER = 0xC1;

    /** The response to an offer: the location to which to copy, or a request to send packets. */
    public static final int RC_WRITE_GRANT = 0xC2;

    /** The report that an offered part is copied. */
    public static final int RC_WRITE_COPIED = 0xC3;

    /** RC: compares and swaps 64 bits; BTH, AtomicETH. */
    public static final int RC_COMPARE_SWAP = 0x13;

    /** RC: adds to 64 bits; BTH, AtomicETH. */
    public static final int RC_FETCH_ADD = 0x14;

    /** The transport bits of UC packets, to be added to the operation. */
    public static final int UC = 0x20;

    /** UD: a datagram; BTH, DETH, payload. */
    public static final int UD_SEND_ONLY = 0x64;

    /** UD: a datagram; BTH, DETH, ImmDt, payload. */
    public static final int UD_SEND_ONLY_IMMEDIATE = 0x65;

    private static final int TRANSPORT_SHIFT = 5;
    private static final int OPERATION_MASK = 0x1F;
    private static final int RC_TRANSPORT = 0;
    private static final int UC_TRANSPORT = 1;
    private static final int UD_TRANSPORT = 3;

    private Opcode() {}

    /** Returns whether a packet is for an RC queue pair. */
    public static boolean isRc(int opcode) {
        return opcode >> TRANSPORT_SHIFT == RC_TRANSPORT;
    }

    /** Returns whether a packet is for a UC queue pair. */
    public static boolean isUc(int opcode) {
        return opcode >> TRANSPORT_SHIFT == UC_TRANSPORT;
    }

    /** Returns whether a packet is for a UD queue pair. */
    public static boolean isUd(int opcode) {
        return opcode >> TRANSPORT_SHIFT == UD_TRANSPORT;
    }

    /** Returns whether a packet is of a kind that never leaves a host. */
    public static boolean isOfThisHost(int opcode) {
        return opcode >= RC_READ_GRANT && opcode <= RC_WRITE_COPIED;
    }

    /** Returns the operation without the transport. */
    public static int operation(int opcode) {
        return opcode & OPERATION_MASK;
    }

    // ---- SEND and WRITE, by operation ----

    /** Returns whether a packet belongs to a SEND. */
    public static boolean isSend(int operation) {
        return operation >= SEND_FIRST && operation <= SEND_ONLY_IMMEDIATE;
    }

    /** Returns whether a packet belongs to an RDMA WRITE. */
    public static boolean isWrite(int operation) {
        return operation >= WRITE_FIRST && operation <= WRITE_ONLY_IMMEDIATE;
    }

    /** Returns whether a packet of a SEND or WRITE is its first or only one. */
    public static boolean startsMessage(int operation) {
        return placeOf(operation) == SEND_FIRST || placeOf(operation) >= SEND_ONLY;
    }

    /** Returns whether a packet of a SEND or WRITE is its last or only one. */
    public static boolean endsMessage(int operation) {
        return placeOf(operation) >= SEND_LAST;
    }

    /** Returns whether a packet of a SEND or WRITE carries immediate data. */
    public static boolean hasImmediate(int operation) {
        int place = placeOf(operation);
        return place == SEND_LAST_IMMEDIATE || place == SEND_ONLY_IMMEDIATE;
    }

    /** Returns the operation of a SEND at the same position; the operations of a WRITE are in the same order. */
    private static int placeOf(int operation) {
        return isWrite(operation) ? operation - WRITE_FIRST : operation;
    }

    /** Returns the operation of a SEND packet at a position. */
    public static int send(boolean first, boolean last, boolean immediate) {
        if (!last) {
            return first ? SEND_FIRST : SEND_MIDDLE;
        }
        int place = first ? SEND_ONLY : SEND_LAST;
        return immediate ? place + 1 : place;
    }

    /** Returns the operation of a WRITE packet at a position. */
    public static int write(boolean first, boolean last, boolean immediate) {
        return WRITE_FIRST + send(first, last, immediate);
    }

    // ---- READ and atomics ----

    /** Returns whether a packet requests an atomic operation. */
    public static boolean isAtomic(int opcode) {
        return opcode == RC_COMPARE_SWAP || opcode == RC_FETCH_ADD;
    }

    /** Returns whether a packet belongs to a READ response. */
    public static boolean isReadResponse(int opcode) {
        return opcode >= RC_READ_RESPONSE_FIRST && opcode <= RC_READ_RESPONSE_ONLY;
    }

    /** Returns the opcode of a READ response packet at a position. */
    public static int readResponse(boolean first, boolean last) {
        if (first) {
            return last ? RC_READ_RESPONSE_ONLY : RC_READ_RESPONSE_FIRST;
        }
        return last ? RC_READ_RESPONSE_LAST : RC_READ_RESPONSE_MIDDLE;
    }
}
