package io.rdmarpc.verbs.soft.link.fault;

import io.rdmarpc.verbs.soft.wire.Aeth;
import io.rdmarpc.verbs.soft.wire.Bth;
import io.rdmarpc.verbs.soft.wire.Opcode;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;

/** The kinds of packets that a {@link FaultScript} distinguishes, with the names of the script. */
enum PacketKind {
    /** Each packet. */
    ANY,
    /** A datagram. */
    UD,
    /** A packet of a SEND, RC or UC. */
    SEND,
    /** A packet of an RDMA WRITE, RC or UC. */
    WRITE,
    /** A READ request. */
    READ,
    /** A packet of a READ response. */
    READ_RESPONSE,
    /** An atomic request. */
    ATOMIC,
    /** An atomic response. */
    ATOMIC_RESPONSE,
    /** An acknowledgment. */
    ACK,
    /** A negative acknowledgment other than {@link #RNR}. */
    NAK,
    /** A negative acknowledgment because no receive is posted. */
    RNR;

    boolean matches(PacketBuffer packet) {
        return this == ANY || this == of(packet);
    }

    /** Returns the most specific kind of a packet; {@link #ANY} for packets without another kind. */
    static PacketKind of(PacketBuffer packet) {
        int opcode = Bth.opcode(packet.bytes());
        if (Opcode.isUd(opcode)) {
            return UD;
        }
        if (Opcode.isRc(opcode) || Opcode.isUc(opcode)) {
            return ofConnection(Opcode.operation(opcode), packet);
        }
        return ANY;
    }

    private static PacketKind ofConnection(int operation, PacketBuffer packet) {
        if (Opcode.isSend(operation)) {
            return SEND;
        }
        if (Opcode.isWrite(operation)) {
            return WRITE;
        }
        if (Opcode.isReadResponse(operation)) {
            return READ_RESPONSE;
        }
        return switch (operation) {
            case Opcode.RC_READ_REQUEST -> READ;
            case Opcode.RC_COMPARE_SWAP, Opcode.RC_FETCH_ADD -> ATOMIC;
            case Opcode.RC_ATOMIC_ACKNOWLEDGE -> ATOMIC_RESPONSE;
            case Opcode.RC_ACKNOWLEDGE -> ofSyndrome(Aeth.syndrome(packet.bytes()));
            default -> ANY;
        };
    }

    private static PacketKind ofSyndrome(int syndrome) {
        if (Aeth.isAck(syndrome)) {
            return ACK;
        }
        return Aeth.isRnr(syndrome) ? RNR : NAK;
    }
}
