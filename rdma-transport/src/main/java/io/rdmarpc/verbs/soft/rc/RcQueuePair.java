package io.rdmarpc.verbs.soft.rc;

import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairMask;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.ipc.PeerMemoryView;
import io.rdmarpc.verbs.soft.port.DeviceConstants;
import io.rdmarpc.verbs.soft.progress.Schedule;
import io.rdmarpc.verbs.soft.qp.ConnectedQueuePair;
import io.rdmarpc.verbs.soft.qp.QueuePairParts;
import io.rdmarpc.verbs.soft.qp.SendWqe;
import io.rdmarpc.verbs.soft.qp.SoftMemoryView;
import io.rdmarpc.verbs.soft.rnic.DropReason;
import io.rdmarpc.verbs.soft.samehost.GrantedRead;
import io.rdmarpc.verbs.soft.wire.Bth;
import io.rdmarpc.verbs.soft.wire.Opcode;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import io.rdmarpc.verbs.wr.SendRequests;
import org.jspecify.annotations.Nullable;

/**
 * A reliable connection (InfiniBand Architecture Specification vol. 1, 9.7): SEND, RDMA WRITE, RDMA READ and atomics,
 * each executed once and in order.
 */
public final class RcQueuePair extends ConnectedQueuePair implements Schedule.Waiting {

    private final DeadlineWatch watch = new DeadlineWatch(rnic().schedule(), this);
    private final RcRequester requester = new RcRequester(this, watch);
    private final RcResponder responder = new RcResponder(this);

    public RcQueuePair(QueuePairParts parts) {
        super(parts);
    }

    @Override
    protected void apply(QueuePairAttributes attributes) {
        super.apply(attributes);
        if (attributes.has(QueuePairMask.MIN_RNR_TIMER)) {
            responder.configureNotReady(attributes.minRnrTimer());
        }
        if (attributes.has(QueuePairMask.SQ_PSN)) {
            requester.start(attributes);
        }
    }

    @Override
    protected void onConnect(QueuePairAttributes attributes) {
        responder.start(attributes);
    }

    @Override
    protected int postSend(SendRequests requests, int index, SendWqe into) {
        int errno = into.isAtomic() ? loadAtomic(requests, index, into) : loadOther(requests, index, into);
        if (errno == 0) {
            sendQueue().push();
            schedule();
        }
        return errno;
    }

    private int loadOther(SendRequests requests, int index, SendWqe into) {
        if (!into.isRead() && !isMessage(into.opcode)) {
            return Errno.EOPNOTSUPP;
        }
        load(requests, index, into);
        return into.isRead() && !requester.mayRead() ? Errno.EINVAL : 0;
    }

    private int loadAtomic(SendRequests requests, int index, SendWqe into) {
        into.remoteAddress = requests.remoteAddress(index);
        into.rkey = requests.atomicRkey(index);
        into.compareOrAdd = requests.compareOrAdd(index);
        into.swap = requests.swap(index);
        return into.length == Long.BYTES && requester.mayRead() ? 0 : Errno.EINVAL;
    }

    @Override
    public @Nullable PeerMemoryView postView(long wrId, long remoteAddress, int rkey, int length) {
        if (length < GrantedRead.SHORTEST_BYTES || length > DeviceConstants.MAX_MESSAGE_BYTES) {
            return null;
        }
        rnic().lock();
        try {
            SoftMemoryView view = mayBegin() ? requester.view(remoteAddress, rkey, length) : null;
            if (view == null || view.memory() != null) {
                return view;
            }
            if (view.hasEnded() || sendQueue().isFull()) {
                return null;
            }
            sendQueue().free().loadView(wrId, remoteAddress, rkey, length, view);
            view.posted();
            sendQueue().push();
            schedule();
            return view;
        } finally {
            rnic().flush();
            rnic().unlock();
        }
    }

    @Override
    protected void onPeerPacket(PacketBuffer packet) {
        int opcode = Bth.opcode(packet.bytes());
        if (Opcode.isOfThisHost(opcode) && !packet.hasIcrc()) {
            onMappedPacket(opcode, packet);
        } else if (!Opcode.isRc(opcode)) {
            drop(DropReason.WRONG_OPCODE);
        } else if (Opcode.isReadResponse(opcode) || opcode == Opcode.RC_ATOMIC_ACKNOWLEDGE) {
            requester.onResponse(opcode, packet);
        } else if (opcode == Opcode.RC_ACKNOWLEDGE) {
            requester.onAcknowledge(packet);
        } else {
            responder.onRequest(opcode, packet);
        }
    }

    private void onMappedPacket(int opcode, PacketBuffer packet) {
        switch (opcode) {
            case Opcode.RC_READ_GRANT -> requester.onGrant(packet);
            case Opcode.RC_WRITE_GRANT -> requester.onWriteGrant(packet);
            default -> responder.onMappedWrite(opcode, packet);
        }
    }

    /** {@inheritDoc} Sends responses before requests, because the peer waits for them. */
    @Override
    protected boolean sendSome() {
        if (!isReceiving()) {
            return false;
        }
        boolean more = responder.sendSome();
        if (maySend()) {
            more |= requester.sendSome();
        }
        return more;
    }

    @Override
    protected boolean isDrained() {
        return requester.isIdle();
    }

    @Override
    public long deadlineNanos() {
        return requester.deadlineNanos();
    }

    @Override
    public boolean checkDeadline(long now) {
        return watch.update(requester.checkDeadline(now));
    }

    @Override
    protected void forget() {
        requester.forget();
        responder.forget();
    }
}
