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
 * Puts the packets of SENDs and WRITEs where they belong (InfiniBand Architecture Specification vol. 1, 9.7.4.1 for RC, 9.8.2.2
 * for UC; the checks are the same, what follows from them is not). The caller has checked the PSN; so packets come in order
 * and, at a reliable connection, without gaps.
 */
public final class MessageReceiver {

    private final ConnectedQueuePair qp;
    private boolean inMessage;
    private boolean isWrite;
    private long remoteAddress;
    private int rkey;
    private int length;
    private int done;

    /** What came of a packet. */
    public enum Outcome {
        /** It was taken. */
        TAKEN,
        /** It was taken and completes its message. */
        COMPLETE,
        /** No receive is posted for it; nothing was done. */
        NOT_READY,
        /** It breaks the protocol: order, length, or an operation the queue pair does not allow. */
        INVALID,
        /** Key, range or right do not allow the WRITE. */
        NO_ACCESS,
        /** The message is longer than the receive. */
        TOO_LONG,
        /** The receive's own memory may not be written. */
        LOCAL_FAULT
    }

    public MessageReceiver(ConnectedQueuePair qp) {
        this.qp = qp;
    }

    public boolean isInMessage() {
        return inMessage;
    }

    /** Forgets the message that has begun; its receive, if it has one, takes the next one. */
    public void abandon() {
        inMessage = false;
    }

    /** Takes a packet of a SEND or WRITE. */
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

    /** All packets but the last have one path MTU of payload; only a message of one packet may be empty (9.7.4.1.6). */
    private boolean isRightLength(int payload, boolean starts, boolean ends) {
        return ends ? payload >= (starts ? 0 : 1) && payload <= qp.mtuBytes() : payload == qp.mtuBytes();
    }

    // ---- parts that the peer copies ----

    /** Looks at an offer of a part: {@link Outcome#TAKEN} when it may be granted. Changes nothing. */
    public Outcome check(OfferedWrite offer) {
        boolean fits = inMessage
                ? isWrite && offer.offset() == done && offer.total() == length && offer.rkey() == rkey
                : offer.offset() == 0;
        if (!fits || !qp.allows(AccessFlag.REMOTE_WRITE)) {
            return Outcome.INVALID;
        }
        return offer.region() == null ? Outcome.NO_ACCESS : Outcome.TAKEN;
    }

    /** Takes a part that was granted and is here now. */
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

    // ---- may it be taken? Changes nothing unless it may ----

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
        // The key of a WRITE of nothing is not checked (C9-88).
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

    // ---- taking it ----

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

    /** A SEND completes its receive; a WRITE does when it has immediate data. */
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
