package io.rdmarpc.verbs.soft.uc;

import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairMask;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.soft.qp.ConnectedQueuePair;
import io.rdmarpc.verbs.soft.qp.QueuePairParts;
import io.rdmarpc.verbs.soft.qp.SendWqe;
import io.rdmarpc.verbs.soft.rnic.DropReason;
import io.rdmarpc.verbs.soft.rnic.PacketSender;
import io.rdmarpc.verbs.soft.wire.Bth;
import io.rdmarpc.verbs.soft.wire.Opcode;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import io.rdmarpc.verbs.soft.wire.Psn;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.SendRequests;

/**
 * An unreliable connection (InfiniBand Architecture Specification vol. 1, 9.8.2): SEND and RDMA WRITE without
 * responses. A message with a lost packet is lost as a whole: it completes nothing, although received packets of a
 * WRITE are in memory. A forbidden message of the peer is dropped and counted, so that it cannot stop the queue pair.
 */
public final class UcQueuePair extends ConnectedQueuePair {

    private static final int PACKETS_PER_RUN = 16;

    // A PSN that is further behind the expected one belongs to a sender that is far ahead, because PSNs wrap around.
    private static final int LATE_PACKETS = 1 << 16;

    private final PacketSender packetSender = rnic().sender();
    private final MessageReceiver receiver = new MessageReceiver(this);
    private final MessageWriter writer = new MessageWriter(this, Opcode.UC);
    private int expectedPsn;
    private int sendPsn;
    private int sendOffset;

    public UcQueuePair(QueuePairParts parts) {
        super(parts);
    }

    @Override
    protected void apply(QueuePairAttributes attributes) {
        super.apply(attributes);
        if (attributes.has(QueuePairMask.SQ_PSN)) {
            sendPsn = attributes.sendPsn();
            sendOffset = 0;
        }
    }

    @Override
    protected void onConnect(QueuePairAttributes attributes) {
        expectedPsn = attributes.receivePsn();
    }

    // ---- sending ----

    @Override
    protected int postSend(SendRequests requests, int index, SendWqe into) {
        if (!isMessage(into.opcode)) {
            return Errno.EOPNOTSUPP;
        }
        load(requests, index, into);
        sendQueue().push();
        schedule();
        return 0;
    }

    @Override
    protected boolean sendSome() {
        for (int i = 0; i < PACKETS_PER_RUN && canSend(); i++) {
            if (!sendPacket(sendQueue().first())) {
                return true;
            }
        }
        return canSend();
    }

    private boolean canSend() {
        return (mayBegin() || !isDrained()) && maySend() && !sendQueue().isEmpty();
    }

    @Override
    protected boolean isDrained() {
        return sendOffset == 0;
    }

    /** Sends the next packet of the oldest message; false if the link is full. */
    private boolean sendPacket(SendWqe wqe) {
        PacketBuffer packet = packetSender.start();
        int bytes = writer.write(packet, wqe, sendPsn, sendOffset, false);
        if (bytes == MessageWriter.FORBIDDEN) {
            finish(wqe, CompletionStatus.LOC_PROT_ERR);
            enterSendError();
            return true;
        }
        if (!packetSender.send(route(), bytes)) {
            return false;
        }
        sendPsn = Psn.plus(sendPsn, 1);
        sendOffset += mtuBytes();
        if (sendOffset >= wqe.length) {
            finish(wqe, CompletionStatus.SUCCESS);
        }
        return true;
    }

    private void finish(SendWqe wqe, int status) {
        sendOffset = 0;
        sendQueue().pop();
        if (wqe.signaled || status != CompletionStatus.SUCCESS) {
            completeSend(wqe.wrId, status, wqe.completionOpcode(), 0, wqe.length);
        }
    }

    // ---- receiving ----

    @Override
    protected void onPeerPacket(PacketBuffer packet) {
        int opcode = Bth.opcode(packet.bytes());
        int operation = Opcode.operation(opcode);
        if (!Opcode.isUc(opcode) || (!Opcode.isSend(operation) && !Opcode.isWrite(operation))) {
            drop(DropReason.WRONG_OPCODE);
            return;
        }
        int psn = Bth.psn(packet.bytes());
        int distance = Psn.distance(expectedPsn, psn);
        if (distance < 0 && distance > -LATE_PACKETS) {
            drop(DropReason.INCOMPLETE_MESSAGE);
            return;
        }
        if (distance != 0 || Opcode.startsMessage(operation)) {
            receiver.abandon();
        }
        expectedPsn = Psn.plus(psn, 1);
        if (receiver.isInMessage() || Opcode.startsMessage(operation)) {
            accept(operation, packet);
        } else {
            drop(DropReason.INCOMPLETE_MESSAGE);
        }
    }

    private void accept(int operation, PacketBuffer packet) {
        switch (receiver.accept(operation, packet)) {
            case TAKEN, COMPLETE -> {}
            case NOT_READY -> reject(DropReason.NO_RECEIVE);
            case TOO_LONG -> reject(DropReason.RECEIVE_TOO_SHORT);
            case INVALID, NO_ACCESS -> reject(DropReason.REJECTED_MESSAGE);
            case LOCAL_FAULT -> {
                failReceive(CompletionStatus.LOC_PROT_ERR);
                enterError();
            }
        }
    }

    private void reject(DropReason reason) {
        receiver.abandon();
        drop(reason);
    }

    @Override
    protected void forget() {
        receiver.abandon();
        sendOffset = 0;
    }
}
