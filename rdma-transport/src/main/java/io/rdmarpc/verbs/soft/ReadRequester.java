package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.CompletionOpcode;
import io.rdmarpc.verbs.CompletionStatus;
import io.rdmarpc.verbs.QueuePairAttributes;
import io.rdmarpc.verbs.soft.wire.Aeth;
import io.rdmarpc.verbs.soft.wire.Bth;
import io.rdmarpc.verbs.soft.wire.Icrc;
import io.rdmarpc.verbs.soft.wire.Opcode;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import io.rdmarpc.verbs.soft.wire.Psn;
import io.rdmarpc.verbs.soft.wire.Reth;

/**
 * The asking side of RDMA READ (InfiniBand Architecture Specification vol. 1, 9.4.4; requester behaviour: 9.7.6 and 9.9.2).
 *
 * <p>A READ goes out as several requests of bounded length, so that no more is on its way than this end can buffer. Each request
 * takes as many PSNs as its response has packets; so a PSN says where its bytes belong, and a packet that comes before a missing
 * one is taken as well. What is missing is asked for again: at once when a later packet shows it, or the responder says so
 * (NAK), and when nothing comes for too long. To the responder that is a duplicate request for a part of the first.
 */
final class ReadRequester {

    private static final int REQUESTS_PER_TURN = 4;

    private final RcQueuePair qp;
    private final SendQueue queue;
    private final ReadWindow window;
    private final PsnWindow psns = new PsnWindow();
    private final OutstandingReads outstanding = new OutstandingReads();
    private final ResponseTimer timer = new ResponseTimer();
    private int maxRequests;
    private long askPosition;
    private int askOffset;

    ReadRequester(RcQueuePair qp) {
        this.qp = qp;
        this.queue = qp.sendQueue();
        this.window = qp.rnic().readWindow();
    }

    /** Takes the attributes of the step to RTS. */
    void start(QueuePairAttributes attributes) {
        maxRequests = attributes.maxReadAtomic();
        timer.configure(attributes.timeout(), attributes.retryCount());
        psns.start(attributes.sendPsn());
        askPosition = queue.head();
        askOffset = 0;
    }

    /** Tells whether the peer was said to answer any READ. */
    boolean mayAsk() {
        return maxRequests > 0;
    }

    // ---- where the bytes of a PSN belong ----

    private int packets(int bytes) {
        return Math.max(1, (bytes + qp.mtuBytes() - 1) / qp.mtuBytes());
    }

    private int endOf(SendWqe wqe) {
        return Psn.plus(wqe.firstPsn, packets(wqe.length));
    }

    private int offsetOf(SendWqe wqe, int psn) {
        return Psn.distance(wqe.firstPsn, psn) * qp.mtuBytes();
    }

    /** Finds the READ that a PSN belongs to, among those asked for. */
    private long positionOf(int psn) {
        long position = queue.head();
        while (!Psn.isBefore(psn, endOf(queue.at(position)))) {
            position++;
        }
        return position;
    }

    // ---- asking ----

    /** Sends a few requests; true when more could be sent now. */
    boolean sendSome() {
        for (int i = 0; i < REQUESTS_PER_TURN; i++) {
            if (psns.isRepairing()) {
                if (!askAgain()) {
                    return true;
                }
            } else if (!canAsk()) {
                return false;
            } else if (!isAllowed()) {
                failWhenFirst(queue.at(askPosition));
                return false;
            } else if (!ask()) {
                return true;
            }
        }
        return psns.isRepairing() || canAsk();
    }

    /** After a time-out one request tries whether the peer is still there, so that a dead one does not hold the window. */
    private boolean canAsk() {
        return askPosition != queue.tail()
                && outstanding.count() < (timer.isRetrying() ? 1 : maxRequests)
                && psns.waiting() * qp.mtuBytes() < window.shareBytes() - window.requestBytes();
    }

    private boolean isAllowed() {
        return askOffset > 0 || queue.at(askPosition).isWritable(qp.domain());
    }

    /** Sends the request for the next part of a READ; false when window or link have no room now. */
    private boolean ask() {
        SendWqe wqe = queue.at(askPosition);
        int bytes = Math.min(wqe.length - askOffset, bytesToBoundary(askOffset));
        int packets = packets(bytes);
        if (!window.reserve(packets * qp.mtuBytes())) {
            return false;
        }
        if (!sendRequest(wqe, psns.next(), askOffset, bytes)) {
            window.release(packets * qp.mtuBytes());
            return false;
        }
        noteRequest(wqe, bytes, packets);
        return true;
    }

    /** Requests end at the same places when asked again: a responder may know just the range of the first one (rxe). */
    private int bytesToBoundary(int offset) {
        return window.requestBytes() - offset % window.requestBytes();
    }

    private boolean sendRequest(SendWqe wqe, int psn, int offset, int bytes) {
        PacketBuffer packet = qp.rnic().sender().start();
        Bth.write(packet.bytes(), Opcode.RC_READ_REQUEST, 0, qp.destinationQpn(), psn, true);
        Reth.write(packet.bytes(), wqe.remoteAddress + offset, wqe.rkey, bytes);
        return qp.rnic().sender().send(qp.route(), Bth.BYTES + Reth.BYTES);
    }

    private void noteRequest(SendWqe wqe, int bytes, int packets) {
        long now = qp.rnic().nanoTime();
        if (!psns.isWaiting()) {
            timer.begin(now);
        }
        timer.onAsk(psns.next(), now);
        if (askOffset == 0) {
            wqe.firstPsn = psns.next();
        }
        psns.ask(packets);
        outstanding.add(psns.next());
        askOffset += bytes;
        if (askOffset == wqe.length) {
            askPosition++;
            askOffset = 0;
        }
        qp.watch();
    }

    // ---- asking again ----

    /** Asks for the next missing packets in a row; false when the link cannot take it now. */
    private boolean askAgain() {
        int psn = psns.repair();
        SendWqe wqe = queue.at(positionOf(psn));
        int offset = offsetOf(wqe, psn);
        int left = wqe.length - offset;
        int packets = psns.repairRun(packets(Math.min(left, bytesToBoundary(offset))));
        if (!sendRequest(wqe, psn, offset, Math.min(left, packets * qp.mtuBytes()))) {
            return false;
        }
        noteRetry();
        psns.repaired(packets);
        return true;
    }

    private void noteRetry() {
        qp.rnic().counters().countReadRetry();
        timer.onAskAgain(qp.rnic().nanoTime());
    }

    /** Goes back to a PSN that was asked for already, as if what follows had never been (go-back-N). */
    private void goBackTo(int psn) {
        noteRetry();
        askPosition = positionOf(psn);
        askOffset = offsetOf(queue.at(askPosition), psn);
        window.release(Psn.distance(psn, psns.next()) * qp.mtuBytes());
        outstanding.forgetFrom(psn);
        psns.goBackTo(psn);
        qp.standInLine();
    }

    // ---- answers ----

    /** Takes a packet of a READ response. */
    void onResponse(int opcode, PacketBuffer packet) {
        int psn = Bth.psn(packet.bytes());
        if (!psns.isMissing(psn)) {
            qp.drop(DropReason.STALE_RESPONSE);
            return;
        }
        SendWqe wqe = queue.at(positionOf(psn));
        int header = Bth.BYTES + (opcode == Opcode.RC_READ_RESPONSE_MIDDLE ? 0 : Aeth.BYTES);
        int offset = offsetOf(wqe, psn);
        int bytes = Math.min(qp.mtuBytes(), wqe.length - offset);
        int payload = packet.length() - header - Icrc.BYTES - Bth.padCount(packet.bytes());
        if (payload != bytes) {
            qp.drop(DropReason.MALFORMED);
        } else if (!wqe.scatter(qp.domain(), offset, packet, header, bytes)) {
            failWhenFirst(wqe);
        } else {
            onArrival(psn);
        }
    }

    /** A READ into forbidden memory ends when those before it are complete; until then its packets count as missing. */
    private void failWhenFirst(SendWqe wqe) {
        if (wqe == queue.first()) {
            fail(CompletionStatus.LOC_PROT_ERR, 0);
        }
    }

    private void onArrival(int psn) {
        psns.arrived(psn);
        timer.onProgress(psn, qp.rnic().nanoTime());
        boolean more = psns.repairUpTo(psn) && psns.isRepairing();
        while (psns.advance()) {
            onAdvance();
        }
        if (more || askPosition != queue.tail()) {
            qp.standInLine();
        }
    }

    private void onAdvance() {
        window.release(qp.mtuBytes());
        outstanding.arrivedBefore(psns.expected());
        SendWqe wqe = queue.first();
        if (endOf(wqe) == psns.expected()) {
            queue.pop();
            if (wqe.signaled) {
                qp.completeSend(wqe.wrId, CompletionStatus.SUCCESS, CompletionOpcode.RDMA_READ, 0, wqe.length);
            }
        }
    }

    /** Takes an acknowledgement: a positive one means nothing to a READ, which its response acknowledges. */
    void onAcknowledge(PacketBuffer packet) {
        if (packet.length() != Bth.BYTES + Aeth.BYTES + Icrc.BYTES) {
            qp.drop(DropReason.MALFORMED);
            return;
        }
        int psn = Bth.psn(packet.bytes());
        int syndrome = Aeth.syndrome(packet.bytes());
        if (!psns.isAskedFor(psn) || Aeth.isAck(syndrome)) {
            qp.drop(DropReason.IDLE_ACKNOWLEDGE);
            return;
        }
        switch (syndrome) {
            case Aeth.NAK_SEQUENCE -> retryFrom(psn, syndrome);
            case Aeth.NAK_INVALID_REQUEST -> fail(CompletionStatus.REM_INV_REQ_ERR, syndrome);
            case Aeth.NAK_REMOTE_ACCESS -> fail(CompletionStatus.REM_ACCESS_ERR, syndrome);
            case Aeth.NAK_REMOTE_OPERATIONAL -> fail(CompletionStatus.REM_OP_ERR, syndrome);
            default -> qp.drop(DropReason.IDLE_ACKNOWLEDGE);
        }
    }

    // ---- failures ----

    long deadlineNanos() {
        return timer.deadlineNanos();
    }

    /** Looks at the clock; false when no answer is awaited. */
    boolean checkDeadline(long now) {
        if (!psns.isWaiting()) {
            return false;
        }
        if (timer.isTimedOut(now)) {
            qp.rnic().counters().countReadTimeout();
            timer.begin(now);
            retryFrom(psns.expected(), 0);
        } else if (timer.isImpatient(now)) {
            timer.loseHope(now);
            psns.repairAll();
            qp.standInLine();
        }
        return psns.isWaiting();
    }

    private void retryFrom(int psn, int vendorError) {
        if (timer.countRetry()) {
            goBackTo(psn);
        } else {
            fail(CompletionStatus.RETRY_EXC_ERR, vendorError);
        }
    }

    /** Ends the oldest READ with an error and with it the connection (9.9.2). */
    private void fail(int status, int vendorError) {
        SendWqe wqe = queue.first();
        queue.pop();
        qp.completeSend(wqe.wrId, status, CompletionOpcode.RDMA_READ, vendorError, 0);
        qp.enterError();
    }

    /** Forgets what was asked for; late answers are stale. */
    void forget() {
        window.release(psns.waiting() * qp.mtuBytes());
        psns.forget();
        askPosition = queue.head();
        askOffset = 0;
        outstanding.clear();
        timer.reset();
    }
}
