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
 * The part of an RDMA WRITE that is copied into a peer's memory, rather than sent. It takes the PSNs of the packets that it
 * stands for, so whatever is before and behind it keeps its order:
 *
 * <pre>
 *   offer   may I copy these bytes there?        the peer has carried out all before, and checks key, range and rights
 *   grant   there, or: send them                 the PSN of the peer does not move yet
 *   copied  they are there                       the peer moves on, completes what is to be completed, acknowledges
 * </pre>
 *
 * One part at a time. Whatever of it is lost comes again from here. What cannot be copied is sent.
 */
public final class MappedWrite {

    /** What is shorter is sent sooner than it is granted. */
    public static final int SHORTEST_BYTES = 32 << 10;

    /** Longer ones would keep others from the RNIC for long. */
    private static final int LONGEST_BYTES = 256 << 10;

    /** How many packets a part may stand for. */
    public static final int MOST_PACKETS = FlightWindow.MOST_PACKETS / 4;

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
        /** The bytes are there, the peer is to be told. */
        COPIED,
        TOLD
    }

    /** How a grant was used. */
    public enum Outcome {
        COPIED,
        /** The own memory may not be read. */
        FORBIDDEN,
        /** The bytes are to be sent. */
        DECLINED
    }

    public MappedWrite(ConnectedQueuePair qp) {
        this.qp = qp;
        this.packetSender = qp.rnic().sender();
        this.memory = qp.rnic().peerMemory();
    }

    // ---- which part ----

    /** Tells whether to offer the rest of a request instead of sending it: the peer has not declined to grant that key. */
    public boolean suits(SendWqe wqe, int from) {
        return memory != null
                && wqe.isWrite()
                && wqe.length - from >= SHORTEST_BYTES
                && !declined.contains(wqe.rkey)
                && packetSender.isIntact(qp.route());
    }

    /** Returns how long a part may be. */
    public int longestBytes() {
        return Math.min(LONGEST_BYTES, MOST_PACKETS * qp.mtuBytes());
    }

    public void begin(int firstPsn, int packetCount, int from, int length) {
        step = Step.OFFERED;
        psn = firstPsn;
        packets = packetCount;
        offset = from;
        bytes = length;
    }

    /** Tells whether a PSN that is not done belongs to this part. */
    public boolean covers(int asked) {
        return step != Step.NONE && !Psn.isBefore(asked, psn) && Psn.isBefore(asked, Psn.plus(psn, packets));
    }

    /** Returns how many PSNs of this part there are from one on. */
    public int packetsFrom(int from) {
        return Psn.distance(from, Psn.plus(psn, packets));
    }

    public int psn() {
        return psn;
    }

    /** Returns where the part begins in its message. */
    public int offset() {
        return offset;
    }

    /** Tells whether the last part is not done yet. */
    public boolean isBegun() {
        return step != Step.NONE;
    }

    /** Notes that all before a PSN is done. */
    public void doneBefore(int expected) {
        if (step == Step.TOLD && Psn.isBefore(psn, expected)) {
            step = Step.NONE;
        }
    }

    /** Tells whether the peer is asked and has not answered: nothing else is sent meanwhile. */
    public boolean isOffered() {
        return step == Step.OFFERED;
    }

    /** Tells whether the peer is to be told that the bytes are there. */
    public boolean isCopied() {
        return step == Step.COPIED;
    }

    /** All of it is to be sent from now on. */
    public void giveUp() {
        step = Step.NONE;
    }

    /** The connection has ended. */
    public void forget() {
        step = Step.NONE;
        declined.clear();
    }

    // ---- packets ----

    /** Writes the offer of a part that may not have begun yet; returns its length. */
    public int writeOffer(PacketBuffer packet, SendWqe wqe, int firstPsn, int from, int length) {
        Bth.write(packet.bytes(), Opcode.RC_WRITE_OFFER, 0, qp.destinationQpn(), firstPsn, true);
        Reth.write(packet.bytes(), wqe.remoteAddress, wqe.rkey, wqe.length);
        OfferEth.write(packet.bytes(), from, length);
        return Bth.BYTES + OfferEth.BYTES;
    }

    /** Writes what the peer is to hear of the part now. */
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

    public void told() {
        step = Step.TOLD;
    }

    // ---- copying ----

    /** Takes the answer to the offer. */
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
        // Another library's version may say it in another way.
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
