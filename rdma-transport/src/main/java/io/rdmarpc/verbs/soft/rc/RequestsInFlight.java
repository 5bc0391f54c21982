package io.rdmarpc.verbs.soft.rc;

import io.rdmarpc.verbs.soft.qp.ConnectedQueuePair;
import io.rdmarpc.verbs.soft.qp.SendWqe;
import io.rdmarpc.verbs.soft.qp.SendWqeQueue;
import io.rdmarpc.verbs.soft.rnic.FlightWindow;
import io.rdmarpc.verbs.soft.samehost.GrantedRead;
import io.rdmarpc.verbs.soft.wire.Psn;

/**
 * Tracks how far work requests were sent, and the request and offset of each PSN. Each request uses as many PSNs as its
 * message has packets; a READ as many as its response (InfiniBand Architecture Specification vol. 1, 9.7.3.1).
 */
final class RequestsInFlight {

    private final ConnectedQueuePair qp;
    private final SendWqeQueue queue;
    private final PsnWindow psns = new PsnWindow();
    private final OutstandingReads reads = new OutstandingReads();
    /** Bytes of one request of a copied READ, which needs no buffer; each request costs time at both ends. */
    private static final int COPIED_REQUEST_BYTES = 256 << 10;

    /** Maximum bytes in flight of copied READs; more would hold the RNIC's lock for long. */
    private static final int COPIED_LIMIT_BYTES = 1 << 20;

    /** Maximum packets in flight of copied READs. */
    private static final int COPIED_LIMIT_PACKETS = FlightWindow.MAX_PACKETS / 2;

    private final FlightShare share;
    private boolean copies;
    private int acknowledged;
    private long nextPosition;
    private int nextOffset;

    RequestsInFlight(ConnectedQueuePair qp) {
        this.qp = qp;
        this.queue = qp.sendQueue();
        this.share = new FlightShare(qp.rnic().readWindow(), qp.rnic().sendWindow());
    }

    void start(int firstPsn) {
        psns.start(firstPsn);
        acknowledged = firstPsn;
        nextPosition = queue.head();
        nextOffset = 0;
        copies = false;
    }

    /** Sets whether the peer responds to READs with grants. */
    void copies(boolean granted) {
        copies = granted;
    }

    PsnWindow psns() {
        return psns;
    }

    // ---- position of a PSN ----

    int packets(int bytes) {
        return Math.max(1, (bytes + qp.mtuBytes() - 1) / qp.mtuBytes());
    }

    private int endOf(SendWqe wqe) {
        return Psn.plus(wqe.firstPsn, packets(wqe.length));
    }

    int offsetOf(SendWqe wqe, int psn) {
        return Psn.distance(wqe.firstPsn, psn) * qp.mtuBytes();
    }

    /** Returns the request of a used PSN. */
    SendWqe requestOf(int psn) {
        return queue.at(positionOf(psn));
    }

    private long positionOf(int psn) {
        long position = queue.head();
        while (!Psn.isBefore(psn, endOf(queue.at(position)))) {
            position++;
        }
        return position;
    }

    // ---- next request ----

    boolean hasNext() {
        return nextPosition != queue.tail();
    }

    SendWqe next() {
        return queue.at(nextPosition);
    }

    /** Returns how many bytes of the next request were sent. */
    int nextOffset() {
        return nextOffset;
    }

    /** Returns whether this queue pair may have another request or packet of that kind in flight. */
    boolean hasRoom(SendWqe wqe, int maxReads) {
        boolean answered = wqe.hasDataResponse();
        return psns.waiting() * qp.mtuBytes() < limitBytes(wqe) && (!answered || reads.count() < maxReads);
    }

    private int limitBytes(SendWqe wqe) {
        return isCopied(wqe)
                ? Math.min(COPIED_LIMIT_BYTES, COPIED_LIMIT_PACKETS * qp.mtuBytes())
                : share.limitBytes(wqe.hasDataResponse());
    }

    private boolean isCopied(SendWqe wqe) {
        return wqe.view() != null || (copies && wqe.isRead());
    }

    /** Returns whether a fenced request has to wait for earlier READs and atomics (10.8.3.3). */
    boolean isFencedOff(SendWqe wqe) {
        return wqe.fenced && nextOffset == 0 && reads.count() > 0;
    }

    /**
     * Returns the bytes up to the next request boundary. A repeated READ request must not exceed the end of the first
     * one, because a responder may know only the range of the first one. So the requests of a READ only get shorter,
     * whatever the peer has granted in the meantime. All sizes are powers of two.
     */
    int bytesToBoundary(SendWqe wqe, int offset) {
        if (wqe.view() != null) {
            return bytesToSee(wqe, offset);
        }
        int bytes = Math.min(wqe.requestBytes, copies ? copiedRequestBytes() : share.requestBytes());
        wqe.requestBytes = bytes;
        return bytes - offset % bytes;
    }

    /**
     * Returns the bytes of the next part of a view. No part is shorter than the minimum for grants, and the window has
     * room for each part after a full one.
     */
    private int bytesToSee(SendWqe wqe, int offset) {
        int most = Math.min(COPIED_LIMIT_BYTES, COPIED_LIMIT_PACKETS / 2 * qp.mtuBytes());
        int bytes = most - offset % most;
        int rest = wqe.length - offset - bytes;
        return rest > 0 && rest < GrantedRead.SHORTEST_BYTES ? bytes + rest : bytes;
    }

    private int copiedRequestBytes() {
        return Math.min(COPIED_REQUEST_BYTES, COPIED_LIMIT_PACKETS * qp.mtuBytes() / 4);
    }

    /** Reserves room in the window, except for copied requests; false if the window is full. */
    boolean reserve(SendWqe wqe, int packets) {
        return isCopied(wqe) || share.reserve(wqe.hasDataResponse(), packets * qp.mtuBytes());
    }

    /** Reverts the last {@link #reserve}. */
    void unreserve(SendWqe wqe, int packets) {
        if (!isCopied(wqe)) {
            share.release(wqe.hasDataResponse(), packets * qp.mtuBytes());
        }
    }

    /** Releases all reservations, so that an unresponsive peer blocks no other queue pair. */
    void unreserveAll() {
        share.releaseAll();
    }

    /** Advances by sent bytes of the next request. */
    void onSent(SendWqe wqe, int bytes, int packets) {
        if (nextOffset == 0) {
            wqe.firstPsn = psns.next();
        }
        psns.use(packets);
        if (wqe.hasDataResponse()) {
            reads.add(psns.next());
        }
        nextOffset += bytes;
        if (nextOffset == wqe.length) {
            nextPosition++;
            nextOffset = 0;
        }
    }

    /** Reverts the last {@link #onSent}, because the bytes have to be sent differently. */
    void revert(int psn, int offset) {
        if (nextOffset == 0) {
            nextPosition--;
        }
        nextOffset = offset;
        psns.revert(psn);
    }

    // ---- completion ----

    /**
     * Marks all SENDs and WRITEs before a PSN as done. A READ or atomic among them without a response is repeated,
     * because its response was lost (9.7.6.1.2, implied acknowledgment).
     *
     * @return whether any of them was not done before
     */
    boolean acknowledgeBefore(int end) {
        int from = Psn.isBefore(acknowledged, psns.expected()) ? psns.expected() : acknowledged;
        if (!Psn.isBefore(from, end)) {
            return false;
        }
        boolean isNew = false;
        for (long position = positionOf(from); from != end; position++) {
            SendWqe wqe = queue.at(position);
            int to = Psn.isBefore(end, endOf(wqe)) ? end : endOf(wqe);
            if (!wqe.hasDataResponse()) {
                psns.arrived(from, to);
                isNew = true;
            }
            from = to;
        }
        acknowledged = end;
        psns.repairUpTo(end);
        return isNew;
    }

    /** Advances by one PSN; false if the first one is not done. */
    boolean advance() {
        if (!psns.advance()) {
            return false;
        }
        // Nothing was reserved for a copied part; releases never make the reservation negative.
        share.release(queue.first().hasDataResponse(), qp.mtuBytes());
        reads.arrivedBefore(psns.expected());
        return true;
    }

    /** Returns whether the oldest request is done. */
    boolean isFirstDone() {
        return endOf(queue.first()) == psns.expected();
    }

    /**
     * Schedules only the oldest request for retransmission: one packet of a SEND or WRITE, or the missing packets of a
     * READ.
     */
    void repairFirst() {
        SendWqe first = queue.first();
        int end = first.isRead() ? endOf(first) : Psn.plus(psns.expected(), 1);
        psns.repairFirst(Psn.isBefore(end, psns.next()) ? end : psns.next());
    }

    void forget() {
        share.releaseAll();
        psns.forget();
        acknowledged = psns.expected();
        nextPosition = queue.head();
        nextOffset = 0;
        reads.clear();
    }
}
