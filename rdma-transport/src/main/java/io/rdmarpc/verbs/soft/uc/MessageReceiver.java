package io.rdmarpc.verbs.soft.uc;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.soft.domain.SoftMemoryRegion;
import io.rdmarpc.verbs.soft.port.DeviceConstants;
import io.rdmarpc.verbs.soft.qp.ConnectedQueuePair;
import io.rdmarpc.verbs.soft.samehost.OfferedWrite;
import io.rdmarpc.verbs.soft.wire.Bth;
import io.rdmarpc.verbs.soft.wire.CopiedEth;
import io.rdmarpc.verbs.soft.wire.Icrc;
import io.rdmarpc.verbs.soft.wire.ImmDt;
import io.rdmarpc.verbs.soft.wire.Opcode;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import io.rdmarpc.verbs.soft.wire.Reth;
import io.rdmarpc.verbs.wr.CompletionOpcode;
import io.rdmarpc.verbs.wr.WorkCompletions;

/**
 * Receives the packets of SENDs and WRITEs (InfiniBand Architecture Specification vol. 1, 9.7.4.1 for RC, 9.8.2.2 for
 * UC; the checks are the same, the reactions differ). The caller has checked the PSN, so packets arrive in order and,
 * on a reliable connection, without gaps.
 */
public final class MessageReceiver {

    private final ConnectedQueuePair qp;
    private boolean inMessage;
    private boolean isWrite;
    private long remoteAddress;
    private int rkey;
    private int length;
    private int done;

    /** The outcome of a packet. */
    public enum Outcome {
        /** The packet was accepted. */
        TAKEN,
        /** The packet was accepted and completes its message. */
        COMPLETE,
        /** No receive is posted for the message; nothing was done. */
        NOT_READY,
        /** The packet violates the protocol: order, length, or an operation that the queue pair does not allow. */
        INVALID,
        /** The key, the range or the right does not allow the WRITE. */
        NO_ACCESS,
        /** The message is longer than the receive. */
        TOO_LONG,
        /** The receive's memory does not allow the write. */
        LOCAL_FAULT
    }

    public MessageReceiver(ConnectedQueuePair qp) {
        this.qp = qp;
    }

    public boolean isInMessage() {
        return inMessage;
    }

    /** Discards the message that was begun; the next message uses its receive, if it has one. */
    public void abandon() {
        inMessage = false;
    }

    /** Handles a packet of a SEND or WRITE. */
    public Outcome accept(int operation, PacketBuffer packet) {
        boolean starts = Opcode.startsMessage(operation);
        boolean ends = Opcode.endsMessage(operation);
        if (starts == inMessage || (inMessage && Opcode.isWrite(operation) != isWrite)) {
            return Outcome.INVALID;
        }
        int header = headerBytes(operation);
        int payload = packet.length() - header - Icrc.BYTES - Bth.padCount(packet.bytes());
        if (!isRightLength(payload, starts, ends)) {
            return Outcome.INVALID;
        }
        Outcome problem =
                Opcode.isWrite(operation) ? prepareWrite(packet, payload, operation) : prepareSend(payload, starts);
        return problem == Outcome.TAKEN ? take(operation, packet, header, payload) : problem;
    }

    private static int headerBytes(int operation) {
        int reth = Opcode.isWrite(operation) && Opcode.startsMessage(operation) ? Reth.BYTES : 0;
        return Bth.BYTES + reth + (Opcode.hasImmediate(operation) ? ImmDt.BYTES : 0);
    }

    /**
     * All packets except the last have a payload of one path MTU; only a message of one packet may be empty
     * (9.7.4.1.6).
     */
    private boolean isRightLength(int payload, boolean starts, boolean ends) {
        return ends ? payload >= (starts ? 0 : 1) && payload <= qp.mtuBytes() : payload == qp.mtuBytes();
    }

    // ---- parts that the peer copies ----

    /** Checks an offer; {@link Outcome#TAKEN} if it may be granted. Changes nothing. */
    public Outcome check(OfferedWrite offer) {
        boolean fits = inMessage
                ? isWrite && offer.offset() == done && offer.total() == length && offer.rkey() == rkey
                : offer.offset() == 0;
        if (!fits || !qp.allows(AccessFlag.REMOTE_WRITE)) {
            return Outcome.INVALID;
        }
        return offer.region() == null ? Outcome.NO_ACCESS : Outcome.TAKEN;
    }

    /** Completes a granted part that the peer has copied. */
    public Outcome accept(OfferedWrite offer, PacketBuffer packet) {
        boolean immediate = CopiedEth.hasImmediate(packet.bytes());
        if (immediate && !offer.endsMessage()) {
            return Outcome.INVALID;
        }
        if (immediate && !qp.takeReceive()) {
            return Outcome.NOT_READY;
        }
        if (!inMessage) {
            isWrite = true;
            remoteAddress = offer.address();
            rkey = offer.rkey();
            length = offer.total();
            done = 0;
        }
        done += offer.bytes();
        inMessage = !offer.endsMessage();
        if (immediate) {
            completeWrite(CopiedEth.immediate(packet.bytes()), packet);
        }
        return inMessage ? Outcome.TAKEN : Outcome.COMPLETE;
    }

    private void completeWrite(int immediate, PacketBuffer packet) {
        qp.completeReceive(
                CompletionOpcode.RECV_RDMA_WITH_IMM,
                done,
                immediate,
                WorkCompletions.FLAG_WITH_IMM,
                0,
                Bth.isSolicited(packet.bytes()));
    }

    // ---- checks, which change nothing unless they succeed ----

    private Outcome prepareSend(int payload, boolean starts) {
        if (starts && !qp.takeReceive()) {
            return Outcome.NOT_READY;
        }
        int before = starts ? 0 : done;
        return before + (long) payload > qp.receive().length() ? Outcome.TOO_LONG : Outcome.TAKEN;
    }

    private Outcome prepareWrite(PacketBuffer packet, int payload, int operation) {
        boolean starts = Opcode.startsMessage(operation);
        boolean ends = Opcode.endsMessage(operation);
        long total = starts ? Reth.length(packet.bytes()) : length;
        long left = total - (starts ? 0 : done);
        if (!qp.allows(AccessFlag.REMOTE_WRITE)
                || total > DeviceConstants.MAX_MESSAGE_BYTES
                || (ends ? payload != left : payload >= left)) {
            return Outcome.INVALID;
        }
        // The key of a WRITE of 0 bytes is not checked (C9-88).
        if (starts && total > 0 && !isWritable(packet, total)) {
            return Outcome.NO_ACCESS;
        }
        if (Opcode.hasImmediate(operation) && !qp.takeReceive()) {
            return Outcome.NOT_READY;
        }
        if (starts) {
            remoteAddress = Reth.address(packet.bytes());
            rkey = Reth.rkey(packet.bytes());
            length = (int) total;
        }
        return Outcome.TAKEN;
    }

    private boolean isWritable(PacketBuffer packet, long total) {
        return qp.remote(Reth.rkey(packet.bytes()), Reth.address(packet.bytes()), total, AccessFlag.REMOTE_WRITE)
                != null;
    }

    // ---- reception ----

    private Outcome take(int operation, PacketBuffer packet, int header, int payload) {
        if (Opcode.startsMessage(operation)) {
            isWrite = Opcode.isWrite(operation);
            done = 0;
        }
        if (payload > 0 && !copy(packet, header, payload)) {
            return isWrite ? Outcome.NO_ACCESS : Outcome.LOCAL_FAULT;
        }
        done += payload;
        inMessage = !Opcode.endsMessage(operation);
        if (inMessage) {
            return Outcome.TAKEN;
        }
        complete(operation, packet, header);
        return Outcome.COMPLETE;
    }

    private boolean copy(PacketBuffer packet, int header, int payload) {
        if (!isWrite) {
            return qp.receive().scatter(qp.domain(), done, payload, packet.payload(), packet.payloadAt(header));
        }
        long address = remoteAddress + done;
        SoftMemoryRegion region = qp.remote(rkey, address, payload, AccessFlag.REMOTE_WRITE);
        return region != null && region.copyIn(address, payload, packet.payload(), packet.payloadAt(header));
    }

    /** Completes the receive of a SEND, or of a WRITE with immediate data. */
    private void complete(int operation, PacketBuffer packet, int header) {
        boolean immediate = Opcode.hasImmediate(operation);
        if (!isWrite || immediate) {
            qp.completeReceive(
                    isWrite ? CompletionOpcode.RECV_RDMA_WITH_IMM : CompletionOpcode.RECV,
                    done,
                    immediate ? ImmDt.value(packet.bytes(), header - ImmDt.BYTES) : 0,
                    immediate ? WorkCompletions.FLAG_WITH_IMM : 0,
                    0,
                    Bth.isSolicited(packet.bytes()));
        }
    }
}
