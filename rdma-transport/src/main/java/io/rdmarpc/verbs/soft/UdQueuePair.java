package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.CompletionOpcode;
import io.rdmarpc.verbs.CompletionStatus;
import io.rdmarpc.verbs.Errno;
import io.rdmarpc.verbs.QueuePairAttributes;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.QueuePairMask;
import io.rdmarpc.verbs.QueuePairState;
import io.rdmarpc.verbs.ReceiveRequests;
import io.rdmarpc.verbs.SendOpcode;
import io.rdmarpc.verbs.SendRequests;
import io.rdmarpc.verbs.WorkCompletions;
import io.rdmarpc.verbs.soft.wire.Bth;
import io.rdmarpc.verbs.soft.wire.Deth;
import io.rdmarpc.verbs.soft.wire.Icrc;
import io.rdmarpc.verbs.soft.wire.Opcode;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import io.rdmarpc.verbs.soft.wire.Psn;
import java.util.Objects;

/**
 * Datagrams (InfiniBand Architecture Specification vol. 1, 9.8.3). A send leaves while it is posted; it waits in the queue
 * only when the link is full. A datagram that no receive can take is dropped and counted, so that no stranger can stop the
 * queue pair.
 */
final class UdQueuePair extends SoftQueuePair {

    private static final int HEADER_BYTES = Bth.BYTES + Deth.BYTES;
    private static final int SENDS_PER_TURN = 16;

    private final ReceiveQueue receiveQueue;
    private final RouteHeader routeHeader = new RouteHeader();
    private int qkey;
    private int sendPsn;

    UdQueuePair(
            SoftProtectionDomain domain,
            int number,
            QueuePairConfig config,
            SoftCompletionQueue sendCq,
            SoftCompletionQueue receiveCq) {
        super(domain, number, config, sendCq, receiveCq, SendOpcode.SEND);
        this.receiveQueue = new ReceiveQueue(
                config.capabilities().maxReceiveWr(), config.capabilities().maxReceiveSge());
    }

    @Override
    void apply(QueuePairAttributes attributes) {
        if (attributes.has(QueuePairMask.QKEY)) {
            qkey = attributes.qkey();
        }
        if (attributes.has(QueuePairMask.SQ_PSN)) {
            sendPsn = attributes.sendPsn();
        }
    }

    /** Longer than the path MTU: refused at once with EMSGSIZE, where hardware may complete it with LOC_LEN_ERR. */
    @Override
    int postSend(SendRequests requests, int index, SendWqe into) {
        if (requests.opcode(index) != SendOpcode.SEND) {
            return Errno.EOPNOTSUPP;
        }
        SoftAddressHandle handle = rnic().addressHandles().find(requests.addressHandle(index));
        if (handle == null || handle.domain() != domain()) {
            return Errno.EINVAL;
        }
        if (into.length > handle.route().source().mtu().bytes()) {
            return Errno.EMSGSIZE;
        }
        into.addressHandle = handle;
        into.remoteQpn = requests.remoteQpn(index);
        into.remoteQkey = requests.remoteQkey(index);
        boolean overtakesNone = sendQueue().isEmpty();
        sendQueue().push();
        if (!overtakesNone || !sendFirst()) {
            standInLine();
        }
        return 0;
    }

    @Override
    boolean sendSome() {
        for (int i = 0; i < SENDS_PER_TURN && !sendQueue().isEmpty(); i++) {
            if (!sendFirst()) {
                return true;
            }
        }
        return !sendQueue().isEmpty();
    }

    /** Sends the oldest datagram in the queue; false when the link cannot take it now. */
    private boolean sendFirst() {
        SendWqe wqe = sendQueue().first();
        Route route = Objects.requireNonNull(wqe.addressHandle).route();
        PacketBuffer packet = rnic().sender().start();
        int pad = PacketSender.padCount(wqe.length);
        // With the top bit set the queue pair's own key goes out, which its user need not know (10.2.4).
        int key = wqe.remoteQkey < 0 ? qkey : wqe.remoteQkey;
        Bth.write(packet.bytes(), Opcode.UD_SEND_ONLY, pad, wqe.remoteQpn, sendPsn, false);
        Deth.write(packet.bytes(), key, number());
        if (!wqe.gather(domain(), packet, HEADER_BYTES)) {
            sendQueue().pop();
            completeSend(wqe.wrId, CompletionStatus.LOC_PROT_ERR, CompletionOpcode.SEND, 0, 0);
            enterSendError();
            return true;
        }
        if (!rnic().sender().send(route, HEADER_BYTES + wqe.length)) {
            return false;
        }
        sendPsn = Psn.plus(sendPsn, 1);
        sendQueue().pop();
        if (wqe.signaled) {
            completeSend(wqe.wrId, CompletionStatus.SUCCESS, CompletionOpcode.SEND, 0, wqe.length);
        }
        return true;
    }

    @Override
    int postReceiveOne(ReceiveRequests requests, int index) {
        if (state() == QueuePairState.ERR) {
            completeReceive(requests.wrId(index), CompletionStatus.WR_FLUSH_ERR, 0, 0, 0);
            return 0;
        }
        if (requests.numSge(index) < 0 || requests.numSge(index) > receiveQueue.maxSge()) {
            return Errno.EINVAL;
        }
        if (receiveQueue.isFull()) {
            return Errno.ENOMEM;
        }
        receiveQueue.push(requests, index);
        return 0;
    }

    @Override
    void onPacket(int localIndex, int sourceIp, PacketBuffer packet) {
        int opcode = Bth.opcode(packet.bytes());
        int payload = packet.length() - HEADER_BYTES - Icrc.BYTES - Bth.padCount(packet.bytes());
        if (opcode != Opcode.UD_SEND_ONLY) {
            drop(DropReason.WRONG_OPCODE);
        } else if (payload < 0) {
            drop(DropReason.MALFORMED);
        } else if (!isReceiving()) {
            drop(DropReason.WRONG_STATE);
        } else if (Deth.qkey(packet.bytes()) != qkey) {
            drop(DropReason.WRONG_QKEY);
        } else if (receiveQueue.isEmpty()) {
            drop(DropReason.NO_RECEIVE);
        } else if (RouteHeader.BYTES + payload > receiveQueue.length()) {
            drop(DropReason.RECEIVE_TOO_SHORT);
        } else {
            routeHeader.write(
                    packet.length(), sourceIp, rnic().gids().get(localIndex).ipv4());
            receive(packet, payload);
        }
    }

    /** Fills the oldest receive: 40 bytes of route header, then the payload (11.4.1.2). */
    private void receive(PacketBuffer packet, int payload) {
        int bytes = RouteHeader.BYTES + payload;
        boolean written = receiveQueue.isWritable(domain(), bytes)
                && receiveQueue.scatter(domain(), 0, RouteHeader.BYTES, routeHeader.memory(), 0)
                && receiveQueue.scatter(domain(), RouteHeader.BYTES, payload, packet.memory(), HEADER_BYTES);
        long wrId = receiveQueue.wrId();
        receiveQueue.pop();
        if (written) {
            int sourceQp = Deth.sourceQp(packet.bytes());
            completeReceive(wrId, CompletionStatus.SUCCESS, bytes, sourceQp, WorkCompletions.FLAG_GRH);
        } else {
            completeReceive(wrId, CompletionStatus.LOC_PROT_ERR, 0, 0, 0);
            enterError();
        }
    }

    private void drop(DropReason reason) {
        rnic().counters().countDrop(reason);
    }

    @Override
    void flushReceives() {
        while (!receiveQueue.isEmpty()) {
            completeReceive(receiveQueue.wrId(), CompletionStatus.WR_FLUSH_ERR, 0, 0, 0);
            receiveQueue.pop();
        }
    }

    @Override
    void forget() {
        receiveQueue.clear();
    }
}
