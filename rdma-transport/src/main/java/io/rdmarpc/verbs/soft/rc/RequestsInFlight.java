package io.rdmarpc.verbs.soft.rc;

import io.rdmarpc.verbs.soft.qp.ConnectedQueuePair;
import io.rdmarpc.verbs.soft.qp.SendWqe;
import io.rdmarpc.verbs.soft.qp.SendWqeQueue;
import io.rdmarpc.verbs.soft.rnic.FlightWindow;
import io.rdmarpc.verbs.soft.samehost.GrantedRead;
import io.rdmarpc.verbs.soft.wire.Psn;

/**
 * Which work requests have been sent how far, and where the bytes of a PSN belong. Each request takes as many PSNs as its
 * message has packets; a READ as many as its response (InfiniBand Architecture Specification vol. 1, 9.7.3.1).
 */
final class RequestsInFlight {

    private final ConnectedQueuePair qp;
    private final SendWqeQueue queue;
    private final PsnWindow psns = new PsnWindow();
    private final OutstandingReads reads = new OutstandingReads();
    /** What a READ asks for at a time when it is copied: nobody buffers that, and each request costs time at both ends. */
    private static final int COPIED_REQUEST_BYTES = 256 << 10;

    /** More of it at a time would keep others from the RNIC for long. */
    private static final int COPIED_LIMIT_BYTES = 1 << 20;

    /** How many packets it may stand for. */
    private static final int COPIED_LIMIT_PACKETS = FlightWindow.MOST_PACKETS / 2;

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

    /** Says whether the peer answers READs by grants. */
    void copies(boolean granted) {
        copies = granted;
    }

    PsnWindow psns() {
        return psns;
    }

    // ---- where the bytes of a PSN belong ----

    int packets(int bytes) {
        return Math.max(1, (bytes + qp.mtuBytes() - 1) / qp.mtuBytes());
    }

    private int endOf(SendWqe wqe) {
        return Psn.plus(wqe.firstPsn, packets(wqe.length));
    }

    int offsetOf(SendWqe wqe, int psn) {
        return Psn.distance(wqe.firstPsn, psn) * qp.mtuBytes();
    }

    /** Finds the request that a used PSN belongs to. */
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

    // ---- what is sent next ----

    boolean hasNext() {
        return nextPosition != queue.tail();
    }

    SendWqe next() {
        return queue.at(nextPosition);
    }

    /** Returns how much of the next request was sent. */
    int nextOffset() {
        return nextOffset;
    }

    /** Tells whether this queue pair may have one more request or packet of that kind on its way. */
    boolean hasRoom(SendWqe wqe, int maxReads) {
        boolean answered = wqe.isAnswered();
        return psns.waiting() * qp.mtuBytes() < limitBytes(wqe) && (!answered || reads.count() < maxReads);
    }

    private int limitBytes(SendWqe wqe) {
        return isCopied(wqe)
                ? Math.min(COPIED_LIMIT_BYTES, COPIED_LIMIT_PACKETS * qp.mtuBytes())
                : share.limitBytes(wqe.isAnswered());
    }

    private boolean isCopied(SendWqe wqe) {
        return wqe.view() != null || (copies && wqe.isRead());
    }

    /** A fenced request waits for all READs and atomics before it (10.8.3.3). */
    boolean isFencedOff(SendWqe wqe) {
        return wqe.fenced && nextOffset == 0 && reads.count() > 0;
    }

    /**
     * A READ request that is sent again does not go beyond where the first one ended: a responder may know just the range of that
     * one. So the requests of a READ get shorter at most, whatever the peer has granted meanwhile; all sizes are powers of two.
     */
    int bytesToBoundary(SendWqe wqe, int offset) {
        if (wqe.view() != null) {
            return bytesToSee(wqe, offset);
        }
        int bytes = Math.min(wqe.requestBytes, copies ? copiedRequestBytes() : share.requestBytes());
        wqe.requestBytes = bytes;
        return bytes - offset % bytes;
    }

    /** No part is so short that it would be sent, nor so long that the window could not remember it behind a full one. */
    private int bytesToSee(SendWqe wqe, int offset) {
        int most = Math.min(COPIED_LIMIT_BYTES, COPIED_LIMIT_PACKETS / 2 * qp.mtuBytes());
        int bytes = most - offset % most;
        int rest = wqe.length - offset - bytes;
        return rest > 0 && rest < GrantedRead.SHORTEST_BYTES ? bytes + rest : bytes;
    }

    private int copiedRequestBytes() {
        return Math.min(COPIED_REQUEST_BYTES, COPIED_LIMIT_PACKETS * qp.mtuBytes() / 4);
    }

    /** Takes room in the window, unless nothing will be on its way; false when there is none now. */
    boolean reserve(SendWqe wqe, int packets) {
        return isCopied(wqe) || share.reserve(wqe.isAnswered(), packets * qp.mtuBytes());
    }

    /** Takes back the last {@link #reserve}. */
    void unreserve(SendWqe wqe, int packets) {
        if (!isCopied(wqe)) {
            share.release(wqe.isAnswered(), packets * qp.mtuBytes());
        }
    }

    /** Gives back all that is reserved, so that a peer that does not answer holds up nobody else. */
    void unreserveAll() {
        share.releaseAll();
    }

    /** Notes that the next bytes of the next request were sent. */
    void onSent(SendWqe wqe, int bytes, int packets) {
        if (nextOffset == 0) {
            wqe.firstPsn = psns.next();
        }
        psns.use(packets);
        if (wqe.isAnswered()) {
            reads.add(psns.next());
        }
        nextOffset += bytes;
        if (nextOffset == wqe.length) {
            nextPosition++;
            nextOffset = 0;
        }
    }

    /** Takes back the last bytes that were noted as sent: they are to be sent in another way. */
    void takeBack(int psn, int offset) {
        if (nextOffset == 0) {
            nextPosition--;
        }
        nextOffset = offset;
        psns.takeBack(psn);
    }

    // ---- what is done ----

    /**
     * Notes that all SENDs and WRITEs before a PSN have been taken. A READ or atomic among them whose answer is missing is
     * sent again: the answer was lost (9.7.6.1.2, implied acknowledgement).
     *
     * @return whether this was news about any of them
     */
    boolean acknowledgeBefore(int end) {
        int from = Psn.isBefore(acknowledged, psns.expected()) ? psns.expected() : acknowledged;
        if (!Psn.isBefore(from, end)) {
            return false;
        }
        boolean isNews = false;
        for (long position = positionOf(from); from != end; position++) {
            SendWqe wqe = queue.at(position);
            int to = Psn.isBefore(end, endOf(wqe)) ? end : endOf(wqe);
            if (!wqe.isAnswered()) {
                psns.arrived(from, to);
                isNews = true;
            }
            from = to;
        }
        acknowledged = end;
        psns.repairUpTo(end);
        return isNews;
    }

    /** Moves on by one PSN that is done; false when the first one is not. */
    boolean advance() {
        if (!psns.advance()) {
            return false;
        }
        // Of a part that was copied nothing was reserved, and what is held of others never falls below nothing.
        share.release(queue.first().isAnswered(), qp.mtuBytes());
        reads.arrivedBefore(psns.expected());
        return true;
    }

    /** Tells whether the oldest request is done. */
    boolean isFirstDone() {
        return endOf(queue.first()) == psns.expected();
    }

    /** The oldest request is tried again alone: one packet of a SEND or WRITE, what is missing of a READ. */
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
