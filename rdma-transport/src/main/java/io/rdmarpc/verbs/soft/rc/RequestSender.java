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
 * Puts the packets of requests on the wire, those to be sent again first (InfiniBand Architecture Specification vol. 1, 9.4).
 *
 * <p>A READ goes out as several requests of bounded length, so that no more is on its way than this end can buffer. An
 * acknowledgement is asked for with the last packet of each message and a few times in each window: the responder gathers
 * them.
 */
final class RequestSender {

    private static final int PACKETS_PER_TURN = 16;
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
    private boolean takesGrants;
    private boolean refusesGrants;
    private boolean refusesSight;
    private int maxReads;
    private int askInterval;
    private int sinceAsk;

    /** How a turn or a packet ended. */
    enum Outcome {
        /** There is nothing more to send now. */
        ALL_SENT,
        /** More could be sent: now, or when link or window have room. */
        MORE_LEFT,
        /** The memory of the request may not be used that way. */
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
        takesGrants = rnic.peerMemory() != null;
        refusesGrants = false;
        refusesSight = false;
        askInterval = Math.max(1, rnic.sendWindow().shareBytes() / qp.mtuBytes() / ASKS_PER_WINDOW);
        sinceAsk = 0;
    }

    /** A grant was of no use: from now on bytes are to be sent. */
    void refuseGrants() {
        takesGrants = false;
        refusesGrants = true;
    }

    /** A view was answered by bytes: from now on none is asked for. */
    void refuseSight() {
        refusesSight = true;
    }

    /** Tells whether views may be asked for. */
    boolean takesSight() {
        return takesGrants && !refusesSight;
    }

    int maxReads() {
        return maxReads;
    }

    /** Returns the request that ended the last turn as {@link Outcome#FORBIDDEN}. */
    SendWqe forbidden() {
        return psns.isRepairing() ? inFlight.requestOf(psns.repair()) : inFlight.next();
    }

    /** Sends a few packets; only those to be sent again while it is tried whether the peer answers at all. */
    Outcome sendSome(boolean trying) {
        if (mapped.isCopied() && !tellCopied()) {
            return Outcome.MORE_LEFT;
        }
        if (!packetSender.isIntact(qp.route())) {
            inFlight.copies(false);
        }
        for (int i = 0; i < PACKETS_PER_TURN; i++) {
            if (!psns.isRepairing() && (trying || !canSendNext())) {
                return Outcome.ALL_SENT;
            }
            Outcome outcome = psns.isRepairing() ? sendAgain() : sendNext();
            if (outcome != Outcome.ALL_SENT) {
                return outcome;
            }
        }
        return Outcome.MORE_LEFT;
    }

    // ---- the first time ----

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
        if (mapped.suits(wqe, offset)) {
            return offerNext(wqe, offset);
        }
        int bytes = Math.min(wqe.length - offset, wqe.isRead() ? inFlight.bytesToBoundary(wqe, offset) : qp.mtuBytes());
        int packets = inFlight.packets(bytes);
        if (wqe.isAnswered() && offset == 0 && !wqe.isWritable(qp.domain())) {
            return Outcome.FORBIDDEN;
        }
        if (!inFlight.reserve(wqe, packets)) {
            return Outcome.MORE_LEFT;
        }
        boolean asks = wqe.isAnswered() || asksAck(wqe, offset);
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

    /** One part at a time, and no more PSNs on their way than the window remembers. */
    private boolean waitsToOffer() {
        boolean full = psns.waiting() > FlightWindow.MOST_PACKETS - MappedWrite.MOST_PACKETS;
        return (full || mapped.isBegun()) && mapped.suits(inFlight.next(), inFlight.nextOffset());
    }

    /** Asks whether a part may be copied. Nothing is reserved: nobody buffers it. */
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

    /** Tells the peer that what it has granted is copied. */
    private boolean tellCopied() {
        SendWqe wqe = inFlight.requestOf(mapped.psn());
        PacketBuffer packet = packetSender.start();
        if (!packetSender.send(qp.route(), mapped.write(packet, wqe))) {
            return false;
        }
        mapped.told();
        timer.onAskAgain(rnic.nanoTime());
        return true;
    }

    private boolean asksAck(SendWqe wqe, int offset) {
        return offset + qp.mtuBytes() >= wqe.length || sinceAsk + 1 >= askInterval;
    }

    private void noteSent(boolean asks) {
        long now = rnic.nanoTime();
        if (!psns.isWaiting()) {
            timer.begin(now);
        }
        timer.onSend(now);
        if (asks) {
            timer.onAsk(psns.next(), now);
        }
        sinceAsk = asks ? 0 : sinceAsk + 1;
    }

    // ---- again ----

    /** Sends the next missing packet again, or asks for the next missing ones of a READ in a row. */
    private Outcome sendAgain() {
        int psn = psns.repair();
        SendWqe wqe = inFlight.requestOf(psn);
        if (mapped.covers(psn)) {
            return askAgain(wqe, psn);
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
            timer.onAskAgain(rnic.nanoTime());
            psns.repaired(packets);
        }
        return outcome;
    }

    /** Says again what the peer may not have heard of a part; sends it when there is no shared memory any more. */
    private Outcome askAgain(SendWqe wqe, int psn) {
        if (!packetSender.isIntact(qp.route())) {
            mapped.giveUp();
            return Outcome.ALL_SENT;
        }
        PacketBuffer packet = packetSender.start();
        if (!packetSender.send(qp.route(), mapped.write(packet, wqe))) {
            return Outcome.MORE_LEFT;
        }
        rnic.counters().countRetry();
        timer.onAskAgain(rnic.nanoTime());
        psns.repaired(psns.repairRun(mapped.packetsFrom(psn)));
        return Outcome.ALL_SENT;
    }

    private boolean isLastAgain(SendWqe wqe, int psn, int offset) {
        return offset + qp.mtuBytes() >= wqe.length
                || psns.isLastRepair(psn)
                || Psn.distance(wqe.firstPsn, psn) % askInterval == 0;
    }

    // ---- one packet ----

    private Outcome send(SendWqe wqe, int psn, int offset, int bytes, boolean askAck) {
        PacketBuffer packet = packetSender.start();
        int length = switch (wqe.opcode) {
            case SendOpcode.RDMA_READ -> writeReadRequest(packet, wqe, psn, offset, bytes);
            case SendOpcode.ATOMIC_CMP_AND_SWP, SendOpcode.ATOMIC_FETCH_AND_ADD -> writeAtomic(packet, wqe, psn);
            default -> writer.write(packet, wqe, psn, offset, askAck);
        };
        if (length == MessageWriter.FORBIDDEN) {
            return Outcome.FORBIDDEN;
        }
        return packetSender.send(qp.route(), length) ? Outcome.ALL_SENT : Outcome.MORE_LEFT;
    }

    private int writeReadRequest(PacketBuffer packet, SendWqe wqe, int psn, int offset, int bytes) {
        Bth.write(packet.bytes(), Opcode.RC_READ_REQUEST, 0, qp.destinationQpn(), psn, true);
        if (takesGrants && packetSender.isIntact(qp.route())) {
            Bth.markTakesGrants(packet.bytes());
            if (wqe.view() != null) {
                Bth.markTakesNoBytes(packet.bytes());
            }
        } else if (refusesGrants && psns.isRepairing() && packetSender.isIntact(qp.route())) {
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
