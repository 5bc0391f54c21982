package io.rdmarpc.verbs.soft.rc;

import io.rdmarpc.verbs.soft.qp.ConnectedQueuePair;
import io.rdmarpc.verbs.soft.qp.SendWqe;
import io.rdmarpc.verbs.soft.rnic.FlightWindow;
import io.rdmarpc.verbs.soft.rnic.PacketSender;
import io.rdmarpc.verbs.soft.rnic.RnicContext;
import io.rdmarpc.verbs.soft.samehost.MappedWrite;
import io.rdmarpc.verbs.soft.uc.MessageWriter;
import io.rdmarpc.verbs.soft.wire.AtomicEth;
import io.rdmarpc.verbs.soft.wire.Bth;
import io.rdmarpc.verbs.soft.wire.Opcode;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import io.rdmarpc.verbs.soft.wire.Psn;
import io.rdmarpc.verbs.soft.wire.Reth;
import io.rdmarpc.verbs.wr.SendOpcode;

/**
 * Sends the packets of requests, retransmissions first (InfiniBand Architecture Specification vol. 1, 9.4).
 *
 * <p>A READ is sent as several requests of limited length, so that no more is in flight than this end can buffer. The
 * last packet of each message, and a few packets in each window, request an acknowledgment. The responder coalesces
 * them.
 */
final class RequestSender {

    private static final int PACKETS_PER_RUN = 16;
    private static final int ASKS_PER_WINDOW = 4;

    private final ConnectedQueuePair qp;
    private final RnicContext rnic;
    private final PacketSender packetSender;
    private final RequestsInFlight inFlight;
    private final PsnWindow psns;
    private final ResponseTimer timer;
    private final MessageWriter writer;
    private final MappedWrite mapped;
    private final DeadlineWatch watch;
    private boolean acceptsGrants;
    private boolean grantsStopped;
    private boolean viewsStopped;
    private int maxReads;
    private int ackRequestInterval;
    private int sinceAckRequest;

    /** The outcome of a run or a packet. */
    enum Outcome {
        /** There is nothing more to send now. */
        ALL_SENT,
        /** More can be sent, now or as soon as the link or the window has room. */
        MORE_LEFT,
        /** The memory of the request does not allow the access. */
        FORBIDDEN
    }

    RequestSender(
            ConnectedQueuePair qp,
            RequestsInFlight inFlight,
            ResponseTimer timer,
            MappedWrite mapped,
            DeadlineWatch watch) {
        this.qp = qp;
        this.rnic = qp.rnic();
        this.packetSender = rnic.sender();
        this.inFlight = inFlight;
        this.psns = inFlight.psns();
        this.timer = timer;
        this.writer = new MessageWriter(qp, 0);
        this.mapped = mapped;
        this.watch = watch;
    }

    void start(int readLimit) {
        maxReads = readLimit;
        acceptsGrants = rnic.peerMemory() != null;
        grantsStopped = false;
        viewsStopped = false;
        ackRequestInterval = Math.max(1, rnic.sendWindow().shareBytes() / qp.mtuBytes() / ASKS_PER_WINDOW);
        sinceAckRequest = 0;
    }

    /** Stops accepting grants, because one could not be used; the peer then sends bytes. */
    void stopGrants() {
        acceptsGrants = false;
        grantsStopped = true;
    }

    /** Stops requesting views, because the peer responded to one with bytes. */
    void stopViews() {
        viewsStopped = true;
    }

    /** Returns whether views may be requested. */
    boolean mayRequestViews() {
        return acceptsGrants && !viewsStopped;
    }

    int maxReads() {
        return maxReads;
    }

    /** Returns the request that ended the last run with {@link Outcome#FORBIDDEN}. */
    SendWqe forbidden() {
        return psns.isRepairing() ? inFlight.requestOf(psns.repair()) : inFlight.next();
    }

    /** Sends a few packets; only retransmissions while the requester probes whether the peer responds. */
    Outcome sendSome(boolean probing) {
        if (mapped.isCopied() && !notifyCopied()) {
            return Outcome.MORE_LEFT;
        }
        if (!packetSender.isIntact(qp.route())) {
            inFlight.copies(false);
        }
        for (int i = 0; i < PACKETS_PER_RUN; i++) {
            if (!psns.isRepairing() && (probing || !canSendNext())) {
                return Outcome.ALL_SENT;
            }
            Outcome outcome = psns.isRepairing() ? sendAgain() : sendNext();
            if (outcome != Outcome.ALL_SENT) {
                return outcome;
            }
        }
        return Outcome.MORE_LEFT;
    }

    // ---- first transmission ----

    private boolean canSendNext() {
        return inFlight.hasNext()
                && !mapped.isOffered()
                && !waitsToOffer()
                && (qp.mayBegin() || inFlight.nextOffset() != 0)
                && inFlight.hasRoom(inFlight.next(), maxReads)
                && !inFlight.isFencedOff(inFlight.next());
    }

    private Outcome sendNext() {
        SendWqe wqe = inFlight.next();
        int offset = inFlight.nextOffset();
        if (mapped.isApplicable(wqe, offset)) {
            return offerNext(wqe, offset);
        }
        int bytes = Math.min(wqe.length - offset, wqe.isRead() ? inFlight.bytesToBoundary(wqe, offset) : qp.mtuBytes());
        int packets = inFlight.packets(bytes);
        if (wqe.hasDataResponse() && offset == 0 && !wqe.isWritable(qp.domain())) {
            return Outcome.FORBIDDEN;
        }
        if (!inFlight.reserve(wqe, packets)) {
            return Outcome.MORE_LEFT;
        }
        boolean asks = wqe.hasDataResponse() || requestsAck(wqe, offset);
        Outcome outcome = send(wqe, psns.next(), offset, bytes, asks);
        if (outcome != Outcome.ALL_SENT) {
            inFlight.unreserve(wqe, packets);
            return outcome;
        }
        noteSent(asks);
        inFlight.onSent(wqe, bytes, packets);
        watch.watch();
        return outcome;
    }

    /** Returns whether an offer has to wait: one part at a time, and the window has to have room for its PSNs. */
    private boolean waitsToOffer() {
        boolean full = psns.waiting() > FlightWindow.MAX_PACKETS - MappedWrite.MAX_PACKETS;
        return (full || mapped.isBegun()) && mapped.isApplicable(inFlight.next(), inFlight.nextOffset());
    }

    /** Offers to copy a part. Nothing is reserved, because no buffer holds the bytes. */
    private Outcome offerNext(SendWqe wqe, int offset) {
        int bytes = Math.min(wqe.length - offset, mapped.longestBytes());
        int packets = inFlight.packets(bytes);
        PacketBuffer packet = packetSender.start();
        int psn = psns.next();
        if (!packetSender.send(qp.route(), mapped.writeOffer(packet, wqe, psn, offset, bytes))) {
            return Outcome.MORE_LEFT;
        }
        mapped.begin(psn, packets, offset, bytes);
        noteSent(true);
        inFlight.onSent(wqe, bytes, packets);
        watch.watch();
        return Outcome.ALL_SENT;
    }

    /** Notifies the peer that the granted part is copied. */
    private boolean notifyCopied() {
        SendWqe wqe = inFlight.requestOf(mapped.psn());
        PacketBuffer packet = packetSender.start();
        if (!packetSender.send(qp.route(), mapped.write(packet, wqe))) {
            return false;
        }
        mapped.markNotified();
        timer.onRetransmission(rnic.nanoTime());
        return true;
    }

    private boolean requestsAck(SendWqe wqe, int offset) {
        return offset + qp.mtuBytes() >= wqe.length || sinceAckRequest + 1 >= ackRequestInterval;
    }

    private void noteSent(boolean asks) {
        long now = rnic.nanoTime();
        if (!psns.isWaiting()) {
            timer.begin(now);
        }
        timer.onSend(now);
        if (asks) {
            timer.onAckRequest(psns.next(), now);
        }
        sinceAckRequest = asks ? 0 : sinceAckRequest + 1;
    }

    // ---- retransmission ----

    /** Retransmits the next missing packet, or requests the next consecutive missing packets of a READ. */
    private Outcome sendAgain() {
        int psn = psns.repair();
        SendWqe wqe = inFlight.requestOf(psn);
        if (mapped.covers(psn)) {
            return repeatPart(wqe, psn);
        }
        int offset = inFlight.offsetOf(wqe, psn);
        int left = wqe.length - offset;
        int packets = wqe.isRead()
                ? psns.repairRun(inFlight.packets(Math.min(left, inFlight.bytesToBoundary(wqe, offset))))
                : 1;
        Outcome outcome =
                send(wqe, psn, offset, Math.min(left, packets * qp.mtuBytes()), isLastAgain(wqe, psn, offset));
        if (outcome == Outcome.ALL_SENT) {
            rnic.counters().countRetry();
            timer.onRetransmission(rnic.nanoTime());
            psns.repaired(packets);
        }
        return outcome;
    }

    /** Repeats the last packet of a mapped part; cancels the part if shared memory is no longer available. */
    private Outcome repeatPart(SendWqe wqe, int psn) {
        if (!packetSender.isIntact(qp.route())) {
            mapped.abandon();
            return Outcome.ALL_SENT;
        }
        PacketBuffer packet = packetSender.start();
        if (!packetSender.send(qp.route(), mapped.write(packet, wqe))) {
            return Outcome.MORE_LEFT;
        }
        rnic.counters().countRetry();
        timer.onRetransmission(rnic.nanoTime());
        psns.repaired(psns.repairRun(mapped.packetsFrom(psn)));
        return Outcome.ALL_SENT;
    }

    private boolean isLastAgain(SendWqe wqe, int psn, int offset) {
        return offset + qp.mtuBytes() >= wqe.length
                || psns.isLastRepair(psn)
                || Psn.distance(wqe.firstPsn, psn) % ackRequestInterval == 0;
    }

    // ---- one packet ----

    private Outcome send(SendWqe wqe, int psn, int offset, int bytes, boolean requestAck) {
        PacketBuffer packet = packetSender.start();
        int length = switch (wqe.opcode) {
            case SendOpcode.RDMA_READ -> writeReadRequest(packet, wqe, psn, offset, bytes);
            case SendOpcode.ATOMIC_CMP_AND_SWP, SendOpcode.ATOMIC_FETCH_AND_ADD -> writeAtomic(packet, wqe, psn);
            default -> writer.write(packet, wqe, psn, offset, requestAck);
        };
        if (length == MessageWriter.FORBIDDEN) {
            return Outcome.FORBIDDEN;
        }
        return packetSender.send(qp.route(), length) ? Outcome.ALL_SENT : Outcome.MORE_LEFT;
    }

    private int writeReadRequest(PacketBuffer packet, SendWqe wqe, int psn, int offset, int bytes) {
        Bth.write(packet.bytes(), Opcode.RC_READ_REQUEST, 0, qp.destinationQpn(), psn, true);
        if (acceptsGrants && packetSender.isIntact(qp.route())) {
            Bth.markAcceptsGrants(packet.bytes());
            if (wqe.view() != null) {
                Bth.markAcceptsNoBytes(packet.bytes());
            }
        } else if (grantsStopped && psns.isRepairing() && packetSender.isIntact(qp.route())) {
            Bth.markGrantRevoked(packet.bytes());
        }
        Reth.write(packet.bytes(), wqe.remoteAddress + offset, wqe.rkey, bytes);
        return Bth.BYTES + Reth.BYTES;
    }

    private int writeAtomic(PacketBuffer packet, SendWqe wqe, int psn) {
        boolean swaps = wqe.opcode == SendOpcode.ATOMIC_CMP_AND_SWP;
        int opcode = swaps ? Opcode.RC_COMPARE_SWAP : Opcode.RC_FETCH_ADD;
        Bth.write(packet.bytes(), opcode, 0, qp.destinationQpn(), psn, true);
        AtomicEth.write(
                packet.bytes(),
                wqe.remoteAddress,
                wqe.rkey,
                swaps ? wqe.swap : wqe.compareOrAdd,
                swaps ? wqe.compareOrAdd : 0);
        return Bth.BYTES + AtomicEth.BYTES;
    }
}
