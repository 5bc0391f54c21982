package io.rdmarpc.verbs.soft.samehost;

import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import io.rdmarpc.verbs.soft.link.StopPoint;
import io.rdmarpc.verbs.soft.qp.ConnectedQueuePair;
import io.rdmarpc.verbs.soft.qp.SendWqe;
import io.rdmarpc.verbs.soft.rnic.FlightWindow;
import io.rdmarpc.verbs.soft.rnic.PacketSender;
import io.rdmarpc.verbs.soft.wire.Bth;
import io.rdmarpc.verbs.soft.wire.CopiedEth;
import io.rdmarpc.verbs.soft.wire.GrantEth;
import io.rdmarpc.verbs.soft.wire.Icrc;
import io.rdmarpc.verbs.soft.wire.OfferEth;
import io.rdmarpc.verbs.soft.wire.Opcode;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import io.rdmarpc.verbs.soft.wire.Psn;
import io.rdmarpc.verbs.soft.wire.Reth;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The part of an RDMA WRITE that this side copies into a peer's memory instead of sending it. It uses the PSNs of the
 * packets that it replaces, so it stays in order with the packets before and after it:
 *
 * <pre>
 *   offer   requests to copy these bytes              after all earlier packets, the peer checks key, range and rights
 *   grant   the location, or a request to send them   the PSN of the peer does not advance yet
 *   copied  reports that the bytes are copied         the peer advances, completes work requests, acknowledges
 * </pre>
 *
 * One part at a time. This side repeats each packet of a part that was lost. If it cannot copy bytes, it sends them in
 * packets.
 */
public final class MappedWrite {

    /** Shorter WRITEs are faster to send than to grant. */
    public static final int SHORTEST_BYTES = 32 << 10;

    /** Longer parts would hold the RNIC's lock for long. */
    private static final int LONGEST_BYTES = 256 << 10;

    /** Maximum number of packets that a part may replace. */
    public static final int MAX_PACKETS = FlightWindow.MAX_PACKETS / 4;

    public static final int PIECE_BYTES = 32 << 10;

    private final ConnectedQueuePair qp;
    private final PacketSender packetSender;
    private final @Nullable PeerMemory memory;
    private Step step = Step.NONE;
    private int psn;
    private int packets;
    private int offset;
    private int bytes;
    private final DeclinedKeys declined = new DeclinedKeys();

    private enum Step {
        NONE,
        OFFERED,
        /** The bytes are copied, and the peer has to be notified. */
        COPIED,
        NOTIFIED
    }

    /** The outcome of a grant. */
    public enum Outcome {
        COPIED,
        /** The local memory does not allow the read. */
        FORBIDDEN,
        /** The bytes have to be sent. */
        DECLINED
    }

    public MappedWrite(ConnectedQueuePair qp) {
        this.qp = qp;
        this.packetSender = qp.rnic().sender();
        this.memory = qp.rnic().peerMemory();
    }

    // ---- state of the part ----

    /** Returns whether to offer the rest of a request instead of sending it. */
    public boolean isApplicable(SendWqe wqe, int from) {
        return memory != null
                && wqe.isWrite()
                && wqe.length - from >= SHORTEST_BYTES
                && !declined.contains(wqe.rkey)
                && packetSender.isIntact(qp.route());
    }

    /** Returns the maximum length of a part in bytes. */
    public int longestBytes() {
        return Math.min(LONGEST_BYTES, MAX_PACKETS * qp.mtuBytes());
    }

    public void begin(int firstPsn, int packetCount, int from, int length) {
        step = Step.OFFERED;
        psn = firstPsn;
        packets = packetCount;
        offset = from;
        bytes = length;
    }

    /** Returns whether an unacknowledged PSN belongs to this part. */
    public boolean covers(int unacknowledged) {
        return step != Step.NONE
                && !Psn.isBefore(unacknowledged, psn)
                && Psn.isBefore(unacknowledged, Psn.plus(psn, packets));
    }

    /** Returns the number of PSNs of this part from a PSN to its end. */
    public int packetsFrom(int from) {
        return Psn.distance(from, Psn.plus(psn, packets));
    }

    public int psn() {
        return psn;
    }

    /** Returns the offset of the part in its message. */
    public int offset() {
        return offset;
    }

    /** Returns whether a part is in progress. */
    public boolean isBegun() {
        return step != Step.NONE;
    }

    /** Ends the part if the peer has acknowledged it, with all packets before a PSN. */
    public void doneBefore(int expected) {
        if (step == Step.NOTIFIED && Psn.isBefore(psn, expected)) {
            step = Step.NONE;
        }
    }

    /** Returns whether the response to an offer is outstanding; no other request is sent until then. */
    public boolean isOffered() {
        return step == Step.OFFERED;
    }

    /** Returns whether the peer has to be notified that the bytes are copied. */
    public boolean isCopied() {
        return step == Step.COPIED;
    }

    /** Cancels the part, whose bytes then have to be sent. */
    public void abandon() {
        step = Step.NONE;
    }

    /** Discards all state at the end of the connection. */
    public void forget() {
        step = Step.NONE;
        declined.clear();
    }

    // ---- packets ----

    /** Writes the offer of a part, before or after {@link #begin}; returns the length of the packet. */
    public int writeOffer(PacketBuffer packet, SendWqe wqe, int firstPsn, int from, int length) {
        Bth.write(packet.bytes(), Opcode.RC_WRITE_OFFER, 0, qp.destinationQpn(), firstPsn, true);
        Reth.write(packet.bytes(), wqe.remoteAddress, wqe.rkey, wqe.length);
        OfferEth.write(packet.bytes(), from, length);
        return Bth.BYTES + OfferEth.BYTES;
    }

    /** Writes the packet that the state of the part requires; returns its length. */
    public int write(PacketBuffer packet, SendWqe wqe) {
        return step == Step.OFFERED ? writeOffer(packet, wqe, psn, offset, bytes) : writeCopied(packet, wqe);
    }

    private int writeCopied(PacketBuffer packet, SendWqe wqe) {
        Bth.write(packet.bytes(), Opcode.RC_WRITE_COPIED, 0, qp.destinationQpn(), psn, true);
        CopiedEth.write(packet.bytes(), bytes);
        if (offset + bytes == wqe.length && wqe.hasImmediate()) {
            CopiedEth.addImmediate(packet.bytes(), wqe.immediate);
            if (wqe.solicited) {
                Bth.markSolicited(packet.bytes());
            }
        }
        return Bth.BYTES + CopiedEth.BYTES;
    }

    public void markNotified() {
        step = Step.NOTIFIED;
    }

    // ---- copying ----

    /** Handles the response to the offer. */
    public Outcome take(PacketBuffer grant, SendWqe wqe) {
        Outcome outcome = copy(qp.route().destination(), grant, wqe);
        switch (outcome) {
            case COPIED -> step = Step.COPIED;
            case FORBIDDEN -> step = Step.NONE;
            case DECLINED -> {
                step = Step.NONE;
                declined.add(wqe.rkey);
            }
        }
        return outcome;
    }

    private Outcome copy(LinkAddress peer, PacketBuffer grant, SendWqe wqe) {
        // Another version of the library may use another format.
        boolean known = grant.length() == GrantEth.OFFSET + GrantEth.BYTES + Icrc.BYTES;
        if (memory == null || !known || GrantEth.length(grant.bytes()) != bytes) {
            return Outcome.DECLINED;
        }
        MemorySegment pages = memory.pages(peer, GrantEth.pages(grant.bytes()));
        long at = GrantEth.pagesOffset(grant.bytes());
        if (pages == null
                || at < 0
                || at > pages.byteSize() - bytes
                || !memory.pin(peer, wqe.rkey, GrantEth.grant(grant.bytes()))) {
            return Outcome.DECLINED;
        }
        try {
            return gather(wqe, pages, at) ? Outcome.COPIED : Outcome.FORBIDDEN;
        } finally {
            memory.unpin();
        }
    }

    private boolean gather(SendWqe wqe, MemorySegment pages, long at) {
        for (int done = 0; done < bytes; done += PIECE_BYTES) {
            int piece = Math.min(PIECE_BYTES, bytes - done);
            if (!wqe.gather(qp.domain(), offset + done, piece, pages, at + done)) {
                return false;
            }
            StopPoint.IN_COPY.reach();
        }
        return true;
    }
}
