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
 * The asking side of a reliable connection (InfiniBand Architecture Specification vol. 1, 9.7.6 and 9.9.2).
 *
 * <p>All kinds of requests share one row of PSNs. The responder takes them in order only, so a SEND or WRITE that it refuses
 * as out of sequence is sent again with all that follows. What has come of READ responses is kept: only what is missing of
 * them is asked for again, at once when a later packet shows it. When nothing comes for long, the oldest request is tried
 * alone; what follows goes out again when that has brought an answer.
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
    private boolean trying;

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

    /** Takes the attributes of the step to RTS. */
    void start(QueuePairAttributes attributes) {
        timer.configure(attributes.timeout(), attributes.retryCount());
        rnr.configure(attributes.rnrRetry());
        inFlight.start(attributes.sendPsn());
        sender.start(attributes.maxReadAtomic());
    }

    /** Tells whether the peer was said to answer any READ or atomic. */
    boolean mayAsk() {
        return sender.maxReads() > 0;
    }

    /** Returns a view of a peer's memory to be asked for, or one that is there already, or null when it must be READ. */
    @Nullable
    SoftMemoryView view(long address, int rkey, int length) {
        return mayAsk() && sender.takesSight() && rnic.sender().isIntact(qp.route())
                ? granted.view(qp.route().destination(), address, rkey, length)
                : null;
    }

    /** Tells whether every request that has begun is answered. */
    boolean isIdle() {
        return !psns.isWaiting() && inFlight.nextOffset() == 0;
    }

    /** Sends a few packets; true when more could be sent now. */
    boolean sendSome() {
        if (rnr.isWaiting()) {
            return false;
        }
        return switch (sender.sendSome(trying)) {
            case ALL_SENT -> false;
            case MORE_LEFT -> true;
            case FORBIDDEN -> failWhenFirst(sender.forbidden());
        };
    }

    /** A request on forbidden memory ends when those before it are complete; returns false: there is nothing to send. */
    private boolean failWhenFirst(SendWqe wqe) {
        if (wqe == queue.first()) {
            fail(CompletionStatus.LOC_PROT_ERR, 0);
        }
        return false;
    }

    // ---- answers ----

    /** Takes a packet of a READ response, or the answer to an atomic. */
    void onResponse(int opcode, PacketBuffer packet) {
        int psn = Bth.psn(packet.bytes());
        if (!psns.isMissing(psn)) {
            timer.onNeedlessAnswer();
            qp.drop(DropReason.STALE_RESPONSE);
            return;
        }
        SendWqe wqe = inFlight.requestOf(psn);
        if (opcode == Opcode.RC_ATOMIC_ACKNOWLEDGE && wqe.isAtomic()) {
            onFoundValue(wqe, psn, packet);
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
            onAnswer(psn);
        }
    }

    /** There is nothing to see in bytes that were sent, by a peer that does not know how to say that there is nothing. */
    private boolean keep(SendWqe wqe, int offset, int bytes, PacketBuffer packet, long at) {
        SoftMemoryView view = wqe.view();
        if (view != null) {
            sender.refuseSight();
            view.close();
            return true;
        }
        return wqe.scatter(qp.domain(), offset, bytes, packet.payload(), at);
    }

    /** Takes the word of a peer on this host where the bytes of a READ are, and copies them. */
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

    /** Tells whether bytes from a packet of a READ on end with a packet of it that was asked for. */
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
            granted.see(qp.route().destination(), wqe, view, inFlight.offsetOf(wqe, psn), packet);
            onAnswers(psn, Psn.plus(psn, inFlight.packets(GrantEth.length(packet.bytes()))));
            return;
        }
        switch (granted.copy(qp.route().destination(), wqe, inFlight.offsetOf(wqe, psn), packet)) {
            case COPIED -> {
                inFlight.copies(true);
                onAnswers(psn, Psn.plus(psn, inFlight.packets(GrantEth.length(packet.bytes()))));
            }
            case FORBIDDEN -> failWhenFirst(wqe);
            case GONE -> {
                // If the peer has revoked it, it refuses the request when that comes again.
                inFlight.copies(false);
                sender.refuseGrants();
                psns.repairFrom(psn);
                qp.schedule();
            }
        }
    }

    /** Takes the answer to the offer of a part of a WRITE: all before it is done. */
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
                trying = false;
                qp.schedule();
            }
            case FORBIDDEN -> failWhenFirst(wqe);
            case DECLINED -> {
                trying = false;
                inFlight.takeBack(psn, mapped.offset());
                qp.schedule();
            }
        }
    }

    private void onFoundValue(SendWqe wqe, int psn, PacketBuffer packet) {
        if (packet.length() != AtomicAckEth.OFFSET + AtomicAckEth.BYTES + Icrc.BYTES) {
            qp.drop(DropReason.MALFORMED);
        } else if (!originalValue.scatter(wqe, qp.domain(), AtomicAckEth.found(packet.bytes()))) {
            failWhenFirst(wqe);
        } else {
            onAnswer(psn);
        }
    }

    /** An answer also acknowledges all SENDs and WRITEs before it. */
    private void onAnswer(int psn) {
        onAnswers(psn, Psn.plus(psn, 1));
    }

    private void onAnswers(int psn, int end) {
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
        if (trying) {
            trying = false;
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

    /** Takes an acknowledgement, which speaks for all SENDs and WRITEs up to its PSN, or a rejection (9.7.5.2). */
    void onAcknowledge(PacketBuffer packet) {
        if (packet.length() != Bth.BYTES + Aeth.BYTES + Icrc.BYTES) {
            qp.drop(DropReason.MALFORMED);
            return;
        }
        int psn = Bth.psn(packet.bytes());
        int syndrome = Aeth.syndrome(packet.bytes());
        if (!psns.isUsed(psn)) {
            timer.onNeedlessAnswer();
            qp.drop(DropReason.IDLE_ACKNOWLEDGE);
        } else if (Aeth.isAck(syndrome)) {
            if (!acknowledgeBefore(Psn.plus(psn, 1))) {
                qp.drop(DropReason.IDLE_ACKNOWLEDGE);
            }
        } else {
            acknowledgeBefore(psn);
            onRefusal(psn, syndrome);
        }
    }

    private boolean acknowledgeBefore(int end) {
        boolean isNews = inFlight.acknowledgeBefore(end);
        if (isNews) {
            onProgress(Psn.plus(end, -1));
        } else if (psns.isRepairing()) {
            qp.schedule();
        }
        return isNews;
    }

    private void onRefusal(int psn, int syndrome) {
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

    /** The peer has no receive posted: waits as long as it says (9.7.5.2.8). What came before is asked for first. */
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

    /** The peer misses a packet, which counts as a retry (9.7.6.1.3). */
    private void onGap(int psn, int syndrome) {
        if (rnr.isWaiting()) {
            return;
        }
        timer.onLoss();
        if (timer.countRetry()) {
            trying = false;
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

    /** Looks at the clock; false when no answer is awaited. */
    boolean checkDeadline(long now) {
        if (!psns.isWaiting()) {
            return false;
        }
        if (rnr.isWaiting()) {
            if (rnr.ends(now)) {
                timer.beginTry(now);
                tryFirst();
            }
        } else if (timer.isTimedOut(now)) {
            onTimeout(now);
        } else if (timer.isImpatient(now)) {
            timer.loseHope(now);
            tryFirst();
        }
        return psns.isWaiting();
    }

    private void onTimeout(long now) {
        rnic.counters().countTimeout();
        timer.beginTry(now);
        inFlight.unreserveAll();
        if (timer.countRetry()) {
            tryFirst();
        } else {
            fail(CompletionStatus.RETRY_EXC_ERR, 0);
        }
    }

    private void tryFirst() {
        trying = true;
        inFlight.repairFirst();
        qp.schedule();
    }

    /** Ends the oldest request with an error and with it the connection (9.9.2). */
    private void fail(int status, int vendorError) {
        SendWqe wqe = queue.first();
        queue.pop();
        qp.completeSend(wqe.wrId, status, wqe.completionOpcode(), vendorError, 0);
        qp.enterError();
    }

    /** Forgets what was sent; late answers are stale. */
    void forget() {
        granted.forget();
        inFlight.forget();
        mapped.forget();
        timer.reset();
        rnr.reset();
        trying = false;
    }
}
