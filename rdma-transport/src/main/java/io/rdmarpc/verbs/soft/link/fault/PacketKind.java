package io.rdmarpc.verbs.soft.link.fault;

import io.rdmarpc.verbs.soft.wire.Aeth;
import io.rdmarpc.verbs.soft.wire.Bth;
import io.rdmarpc.verbs.soft.wire.Opcode;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;

/** What a {@link FaultScript} can tell apart. The names are those of the script. */
enum PacketKind {
    /** Each packet. */
    ANY,
    /** A datagram. */
    UD,
    /** A packet of a SEND, RC or UC. */
    SEND,
    /** A packet of an RDMA WRITE, RC or UC. */
    WRITE,
    /** A request for a READ. */
    READ,
    /** A packet of the answer to a READ. */
    READ_RESPONSE,
    /** A request for an atomic. */
    ATOMIC,
    /** The answer to an atomic. */
    ATOMIC_RESPONSE,
    /** An acknowledgement. */
    ACK,
    /** A rejection but for {@link #RNR}. */
    NAK,
    /** A rejection because no receive is posted. */
    RNR;

    boolean matches(PacketBuffer packet) {
        return this == ANY || this == of(packet);
    }

    /** Returns the most exact kind of a packet; {@link #ANY} for what has no other. */
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
