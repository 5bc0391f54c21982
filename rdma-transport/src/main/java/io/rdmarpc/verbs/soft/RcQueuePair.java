package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.AccessFlag;
import io.rdmarpc.verbs.Errno;
import io.rdmarpc.verbs.QueuePairAttributes;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.QueuePairMask;
import io.rdmarpc.verbs.QueuePairState;
import io.rdmarpc.verbs.ReceiveRequests;
import io.rdmarpc.verbs.SendOpcode;
import io.rdmarpc.verbs.SendRequests;
import io.rdmarpc.verbs.VerbsException;
import io.rdmarpc.verbs.soft.wire.Aeth;
import io.rdmarpc.verbs.soft.wire.Bth;
import io.rdmarpc.verbs.soft.wire.Opcode;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A reliable connection that carries RDMA READ, either way (InfiniBand Architecture Specification vol. 1, 9.7). Other
 * operations are refused: at the post with EOPNOTSUPP, from a peer with NAK-invalid request.
 */
final class RcQueuePair extends SoftQueuePair {

    private final ReadRequester requester = new ReadRequester(this);
    private final ReadResponder responder = new ReadResponder(this);
    private @Nullable Route route;
    private int mtuBytes;
    private int destinationQpn;
    private int accessFlags;
    private boolean isWatched;

    RcQueuePair(
            SoftProtectionDomain domain,
            int number,
            QueuePairConfig config,
            SoftCompletionQueue sendCq,
            SoftCompletionQueue receiveCq) {
        super(domain, number, config, sendCq, receiveCq, SendOpcode.RDMA_READ);
    }

    @Override
    void apply(QueuePairAttributes attributes) {
        if (attributes.addressVector() != null && attributes.has(QueuePairMask.AV)) {
            connect(Route.resolve(QueuePairValues.VERB, rnic(), attributes.addressVector()), attributes);
        }
        if (attributes.has(QueuePairMask.ACCESS_FLAGS)) {
            accessFlags = attributes.accessFlags();
        }
        if (attributes.has(QueuePairMask.SQ_PSN)) {
            requester.start(attributes);
        }
    }

    private void connect(Route to, QueuePairAttributes attributes) {
        int most = to.source().mtu().bytes();
        if (attributes.pathMtu().bytes() > most) {
            throw new VerbsException(
                    QueuePairValues.VERB,
                    SoftDevice.NAME,
                    Errno.EINVAL,
                    "PATH_MTU " + attributes.pathMtu().bytes() + " is over the " + most
                            + " bytes that the interface of "
                            + to.source().entry().gid() + " carries. Use at most that.");
        }
        route = to;
        mtuBytes = attributes.pathMtu().bytes();
        destinationQpn = attributes.destinationQpn();
        responder.start(attributes);
    }

    /** Returns the way to the peer; the queue pair is at least in RTR. */
    Route route() {
        return Objects.requireNonNull(route);
    }

    int mtuBytes() {
        return mtuBytes;
    }

    int destinationQpn() {
        return destinationQpn;
    }

    boolean allowsRemoteRead() {
        return (accessFlags & AccessFlag.REMOTE_READ.bit()) != 0;
    }

    @Override
    int postSend(SendRequests requests, int index, SendWqe into) {
        if (requests.opcode(index) != SendOpcode.RDMA_READ) {
            return Errno.EOPNOTSUPP;
        }
        if (!requester.mayAsk()) {
            return Errno.EINVAL;
        }
        into.remoteAddress = requests.remoteAddress(index);
        into.rkey = requests.rkey(index);
        sendQueue().push();
        standInLine();
        return 0;
    }

    @Override
    int postReceiveOne(ReceiveRequests requests, int index) {
        return Errno.EOPNOTSUPP;
    }

    @Override
    void onPacket(int localIndex, int sourceIp, PacketBuffer packet) {
        int opcode = Bth.opcode(packet.bytes());
        if (!Opcode.isRc(opcode)) {
            drop(DropReason.WRONG_OPCODE);
        } else if (!isReceiving()) {
            drop(DropReason.WRONG_STATE);
        } else if (sourceIp != route().destination().ipv4() || localIndex != route().localIndex()) {
            drop(DropReason.WRONG_SOURCE);
        } else if (Opcode.isReadResponse(opcode)) {
            requester.onResponse(opcode, packet);
        } else if (opcode == Opcode.RC_ACKNOWLEDGE) {
            requester.onAcknowledge(packet);
        } else {
            responder.onRequest(opcode, packet);
        }
    }

    /** Answers come first: the peer waits for them, and what this end asks for waits for the peer. */
    @Override
    boolean sendSome() {
        if (!isReceiving()) {
            return false;
        }
        boolean more = responder.sendSome();
        if (state() == QueuePairState.RTS) {
            more |= requester.sendSome();
        }
        return more;
    }

    /** Sends an acknowledge packet; false when the link cannot take it now. */
    boolean acknowledge(int syndrome, int psn, int msn) {
        PacketBuffer packet = rnic().sender().start();
        Bth.write(packet.bytes(), Opcode.RC_ACKNOWLEDGE, 0, destinationQpn, psn, false);
        Aeth.write(packet.bytes(), syndrome, msn);
        return rnic().sender().send(route(), Bth.BYTES + Aeth.BYTES);
    }

    /** Has {@link #checkDeadline} called when the time has come. */
    void watch() {
        if (!isWatched) {
            isWatched = true;
            rnic().schedule().addWaiting(this, requester.deadlineNanos());
        }
    }

    long deadlineNanos() {
        return requester.deadlineNanos();
    }

    /** Looks at the clock; false when there is nothing more to wait for. */
    boolean checkDeadline(long now) {
        isWatched = requester.checkDeadline(now);
        return isWatched;
    }

    void drop(DropReason reason) {
        rnic().counters().countDrop(reason);
    }

    @Override
    void flushReceives() {
        // None can be posted.
    }

    @Override
    void forget() {
        requester.forget();
        responder.forget();
    }
}
