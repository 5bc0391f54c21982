package io.rdmarpc.verbs.soft.rc;

import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.soft.qp.ConnectedQueuePair;
import io.rdmarpc.verbs.soft.qp.SendWqe;
import io.rdmarpc.verbs.soft.qp.SendWqeQueue;
import io.rdmarpc.verbs.soft.qp.SoftMemoryView;
import io.rdmarpc.verbs.soft.rnic.DropReason;
import io.rdmarpc.verbs.soft.rnic.RnicContext;
import io.rdmarpc.verbs.soft.samehost.GrantedRead;
import io.rdmarpc.verbs.soft.samehost.MappedWrite;
import io.rdmarpc.verbs.soft.wire.Aeth;
import io.rdmarpc.verbs.soft.wire.AtomicAckEth;
import io.rdmarpc.verbs.soft.wire.Bth;
import io.rdmarpc.verbs.soft.wire.GrantEth;
import io.rdmarpc.verbs.soft.wire.Icrc;
import io.rdmarpc.verbs.soft.wire.Opcode;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import io.rdmarpc.verbs.soft.wire.Psn;
import io.rdmarpc.verbs.wr.CompletionStatus;
import org.jspecify.annotations.Nullable;

/**
 * The requester of a reliable connection (InfiniBand Architecture Specification vol. 1, 9.7.6 and 9.9.2).
 *
 * <p>All requests share one sequence of PSNs. The responder accepts them only in order, so a SEND or WRITE that it
 * rejects as out of sequence is retransmitted with all later requests. Received packets of READ responses are kept.
 * Only the missing ones are requested again, immediately when a later packet reveals the gap. After a time without any
 * response only the oldest request is retransmitted. Later requests are retransmitted after it has received a response.
 */
final class RcRequester {

    private final ConnectedQueuePair qp;
    private final RnicContext rnic;
    private final SendWqeQueue queue;
    private final RequestsInFlight inFlight;
    private final PsnWindow psns;
    private final RequestSender sender;
    private final AtomicOriginalValue originalValue = new AtomicOriginalValue();
    private final ResponseTimer timer = new ResponseTimer();
    private final RnrWait rnr = new RnrWait();
    private final GrantedRead granted;
    private final MappedWrite mapped;
    private final DeadlineWatch watch;
    private boolean probing;

    RcRequester(ConnectedQueuePair qp, DeadlineWatch watch) {
        this.qp = qp;
        this.rnic = qp.rnic();
        this.watch = watch;
        this.queue = qp.sendQueue();
        this.inFlight = new RequestsInFlight(qp);
        this.psns = inFlight.psns();
        this.granted = new GrantedRead(qp.domain());
        this.mapped = new MappedWrite(qp);
        this.sender = new RequestSender(qp, inFlight, timer, mapped, watch);
    }

    /** Applies the attributes of the transition to RTS. */
    void start(QueuePairAttributes attributes) {
        timer.configure(attributes.timeout(), attributes.retryCount());
        rnr.configure(attributes.rnrRetry());
        inFlight.start(attributes.sendPsn());
        sender.start(attributes.maxReadAtomic());
    }

    /** Returns whether the peer supports any READs and atomics, by the attributes of the queue pair. */
    boolean mayRead() {
        return sender.maxReads() > 0;
    }

    /**
     * Returns a view of a peer's memory, which has to be requested unless it is complete; null if the memory must be
     * READ.
     */
    @Nullable
    SoftMemoryView view(long address, int rkey, int length) {
        return mayRead() && sender.mayRequestViews() && rnic.sender().isIntact(qp.route())
                ? granted.view(qp.route().destination(), address, rkey, length)
                : null;
    }

    /** Returns whether every request that was begun is complete. */
    boolean isIdle() {
        return !psns.isWaiting() && inFlight.nextOffset() == 0;
    }

    /** Sends a few packets; true if more could be sent now. */
    boolean sendSome() {
        if (rnr.isWaiting()) {
            return false;
        }
        return switch (sender.sendSome(probing)) {
            case ALL_SENT -> false;
            case MORE_LEFT -> true;
            case FORBIDDEN -> failWhenFirst(sender.forbidden());
        };
    }

    /**
     * Fails a request with forbidden memory once earlier requests are complete; returns false, because there is nothing
     * to send.
     */
    private boolean failWhenFirst(SendWqe wqe) {
        if (wqe == queue.first()) {
            fail(CompletionStatus.LOC_PROT_ERR, 0);
        }
        return false;
    }

    // ---- responses ----

    /** Handles a packet of a READ response, or an atomic response. */
    void onResponse(int opcode, PacketBuffer packet) {
        int psn = Bth.psn(packet.bytes());
        if (!psns.isMissing(psn)) {
            timer.onDuplicateResponse();
            qp.drop(DropReason.STALE_RESPONSE);
            return;
        }
        SendWqe wqe = inFlight.requestOf(psn);
        if (opcode == Opcode.RC_ATOMIC_ACKNOWLEDGE && wqe.isAtomic()) {
            onOriginalValue(wqe, psn, packet);
        } else if (opcode != Opcode.RC_ATOMIC_ACKNOWLEDGE && wqe.isRead()) {
            onReadResponse(opcode, wqe, psn, packet);
        } else {
            qp.drop(DropReason.STALE_RESPONSE);
        }
    }

    private void onReadResponse(int opcode, SendWqe wqe, int psn, PacketBuffer packet) {
        int header = Bth.BYTES + (opcode == Opcode.RC_READ_RESPONSE_MIDDLE ? 0 : Aeth.BYTES);
        int offset = inFlight.offsetOf(wqe, psn);
        int bytes = Math.min(qp.mtuBytes(), wqe.length - offset);
        int payload = packet.length() - header - Icrc.BYTES - Bth.padCount(packet.bytes());
        if (payload != bytes) {
            qp.drop(DropReason.MALFORMED);
        } else if (!keep(wqe, offset, bytes, packet, packet.payloadAt(header))) {
            failWhenFirst(wqe);
        } else {
            inFlight.copies(false);
            onSingleResponse(psn);
        }
    }

    /** Copies the payload, or closes the view: a peer that sends bytes for a view does not support views. */
    private boolean keep(SendWqe wqe, int offset, int bytes, PacketBuffer packet, long at) {
        SoftMemoryView view = wqe.view();
        if (view != null) {
            sender.stopViews();
            view.close();
            return true;
        }
        return wqe.scatter(qp.domain(), offset, bytes, packet.payload(), at);
    }

    /** Handles a grant of a peer on this host, and copies the bytes of the READ. */
    void onGrant(PacketBuffer packet) {
        int psn = Bth.psn(packet.bytes());
        if (packet.length() != GrantEth.OFFSET + GrantEth.BYTES + Icrc.BYTES) {
            qp.drop(DropReason.MALFORMED);
        } else if (!psns.isMissing(psn) || !inFlight.requestOf(psn).isRead()) {
            qp.drop(DropReason.STALE_RESPONSE);
        } else if (!isWhole(psn, GrantEth.length(packet.bytes()))) {
            qp.drop(DropReason.MALFORMED);
        } else {
            take(packet, psn, inFlight.requestOf(psn));
        }
    }

    /** Returns whether a range of a READ, from a packet on, ends at the end of a requested packet. */
    private boolean isWhole(int psn, int bytes) {
        SendWqe wqe = inFlight.requestOf(psn);
        int left = wqe.length - inFlight.offsetOf(wqe, psn);
        return bytes > 0
                && bytes <= left
                && (bytes == left || bytes % qp.mtuBytes() == 0)
                && psns.isUsed(Psn.plus(psn, inFlight.packets(bytes) - 1));
    }

    private void take(PacketBuffer packet, int psn, SendWqe wqe) {
        SoftMemoryView view = wqe.view();
        if (view != null) {
            granted.mapPart(qp.route().destination(), wqe, view, inFlight.offsetOf(wqe, psn), packet);
            onResponses(psn, Psn.plus(psn, inFlight.packets(GrantEth.length(packet.bytes()))));
            return;
        }
        switch (granted.copy(qp.route().destination(), wqe, inFlight.offsetOf(wqe, psn), packet)) {
            case COPIED -> {
                inFlight.copies(true);
                onResponses(psn, Psn.plus(psn, inFlight.packets(GrantEth.length(packet.bytes()))));
            }
            case FORBIDDEN -> failWhenFirst(wqe);
            case GONE -> {
                // If the peer has revoked the key, it rejects the repeated request.
                inFlight.copies(false);
                sender.stopGrants();
                psns.repairFrom(psn);
                qp.schedule();
            }
        }
    }

    /** Handles the response to the offer of a part of a WRITE, which acknowledges all earlier requests. */
    void onWriteGrant(PacketBuffer packet) {
        int psn = Bth.psn(packet.bytes());
        if (packet.length() < Bth.BYTES + Aeth.BYTES + Icrc.BYTES) {
            qp.drop(DropReason.MALFORMED);
        } else if (!mapped.isOffered() || psn != mapped.psn() || !psns.isMissing(psn)) {
            qp.drop(DropReason.STALE_RESPONSE);
        } else {
            boolean ignored = acknowledgeBefore(psn);
            timer.onProgress(psn, rnic.nanoTime());
            copy(packet, psn);
        }
    }

    private void copy(PacketBuffer grant, int psn) {
        SendWqe wqe = inFlight.requestOf(psn);
        switch (mapped.take(grant, wqe)) {
            case COPIED -> {
                probing = false;
                qp.schedule();
            }
            case FORBIDDEN -> failWhenFirst(wqe);
            case DECLINED -> {
                probing = false;
                inFlight.revert(psn, mapped.offset());
                qp.schedule();
            }
        }
    }

    private void onOriginalValue(SendWqe wqe, int psn, PacketBuffer packet) {
        if (packet.length() != AtomicAckEth.OFFSET + AtomicAckEth.BYTES + Icrc.BYTES) {
            qp.drop(DropReason.MALFORMED);
        } else if (!originalValue.scatter(wqe, qp.domain(), AtomicAckEth.found(packet.bytes()))) {
            failWhenFirst(wqe);
        } else {
            onSingleResponse(psn);
        }
    }

    /** Handles a response, which also acknowledges all SENDs and WRITEs before it. */
    private void onSingleResponse(int psn) {
        onResponses(psn, Psn.plus(psn, 1));
    }

    private void onResponses(int psn, int end) {
        inFlight.acknowledgeBefore(psn);
        psns.arrived(psn, end);
        if (psns.repairUpTo(psn)) {
            timer.onLoss();
        }
        onProgress(Psn.plus(end, -1));
    }

    private void onProgress(int psn) {
        timer.onProgress(psn, rnic.nanoTime());
        rnr.reset();
        while (inFlight.advance()) {
            if (inFlight.isFirstDone()) {
                completeFirst();
            }
        }
        mapped.doneBefore(psns.expected());
        if (probing) {
            probing = false;
            psns.repairRest();
        }
        if (psns.isRepairing() || inFlight.hasNext()) {
            qp.schedule();
        }
        qp.checkDrained();
    }

    private void completeFirst() {
        SendWqe wqe = queue.first();
        queue.pop();
        SoftMemoryView view = wqe.view();
        if (view != null) {
            view.complete();
        }
        if (wqe.signaled) {
            qp.completeSend(wqe.wrId, CompletionStatus.SUCCESS, wqe.completionOpcode(), 0, wqe.length);
        }
    }

    /** Handles an acknowledgment, which covers all SENDs and WRITEs up to its PSN, or a NAK (9.7.5.2). */
    void onAcknowledge(PacketBuffer packet) {
        if (packet.length() != Bth.BYTES + Aeth.BYTES + Icrc.BYTES) {
            qp.drop(DropReason.MALFORMED);
            return;
        }
        int psn = Bth.psn(packet.bytes());
        int syndrome = Aeth.syndrome(packet.bytes());
        if (!psns.isUsed(psn)) {
            timer.onDuplicateResponse();
            qp.drop(DropReason.IDLE_ACKNOWLEDGE);
        } else if (Aeth.isAck(syndrome)) {
            if (!acknowledgeBefore(Psn.plus(psn, 1))) {
                qp.drop(DropReason.IDLE_ACKNOWLEDGE);
            }
        } else {
            acknowledgeBefore(psn);
            onNak(psn, syndrome);
        }
    }

    private boolean acknowledgeBefore(int end) {
        boolean isNew = inFlight.acknowledgeBefore(end);
        if (isNew) {
            onProgress(Psn.plus(end, -1));
        } else if (psns.isRepairing()) {
            qp.schedule();
        }
        return isNew;
    }

    private void onNak(int psn, int syndrome) {
        if (Aeth.isRnr(syndrome)) {
            onNotReady(psn, syndrome);
            return;
        }
        switch (syndrome) {
            case Aeth.NAK_SEQUENCE -> onGap(psn, syndrome);
            case Aeth.NAK_INVALID_REQUEST -> fail(CompletionStatus.REM_INV_REQ_ERR, syndrome);
            case Aeth.NAK_REMOTE_ACCESS -> fail(CompletionStatus.REM_ACCESS_ERR, syndrome);
            case Aeth.NAK_REMOTE_OPERATIONAL -> fail(CompletionStatus.REM_OP_ERR, syndrome);
            default -> qp.drop(DropReason.IDLE_ACKNOWLEDGE);
        }
    }

    /**
     * Waits for the time that the peer requests, because it has no receive posted (9.7.5.2.8). Earlier requests are
     * repeated first.
     */
    private void onNotReady(int psn, int syndrome) {
        if (rnr.isWaiting()) {
            return;
        }
        rnic.counters().countNotReady();
        if (psn != psns.expected()) {
            psns.repairFrom(psn);
            qp.schedule();
        } else if (rnr.begin(Aeth.rnrTimer(syndrome), rnic.nanoTime())) {
            inFlight.unreserveAll();
            watch.watch();
        } else {
            fail(CompletionStatus.RNR_RETRY_EXC_ERR, syndrome);
        }
    }

    /** Retransmits from a packet that the peer misses, which counts as a retry (9.7.6.1.3). */
    private void onGap(int psn, int syndrome) {
        if (rnr.isWaiting()) {
            return;
        }
        timer.onLoss();
        if (timer.countRetry()) {
            probing = false;
            psns.repairFrom(psn);
            qp.schedule();
        } else {
            fail(CompletionStatus.RETRY_EXC_ERR, syndrome);
        }
    }

    // ---- time ----

    long deadlineNanos() {
        return rnr.isWaiting() ? rnr.untilNanos() : timer.deadlineNanos();
    }

    /** Checks the timeouts; false if no response is outstanding. */
    boolean checkDeadline(long now) {
        if (!psns.isWaiting()) {
            return false;
        }
        if (rnr.isWaiting()) {
            if (rnr.ends(now)) {
                timer.beginTry(now);
                retryFirst();
            }
        } else if (timer.isTimedOut(now)) {
            onTimeout(now);
        } else if (timer.isImpatient(now)) {
            timer.doublePatience(now);
            retryFirst();
        }
        return psns.isWaiting();
    }

    private void onTimeout(long now) {
        rnic.counters().countTimeout();
        timer.beginTry(now);
        inFlight.unreserveAll();
        if (timer.countRetry()) {
            retryFirst();
        } else {
            fail(CompletionStatus.RETRY_EXC_ERR, 0);
        }
    }

    private void retryFirst() {
        probing = true;
        inFlight.repairFirst();
        qp.schedule();
    }

    /** Completes the oldest request with an error, which ends the connection (9.9.2). */
    private void fail(int status, int vendorError) {
        SendWqe wqe = queue.first();
        queue.pop();
        qp.completeSend(wqe.wrId, status, wqe.completionOpcode(), vendorError, 0);
        qp.enterError();
    }

    /** Discards all requests; late responses are then stale. */
    void forget() {
        granted.forget();
        inFlight.forget();
        mapped.forget();
        timer.reset();
        rnr.reset();
        probing = false;
    }
}
