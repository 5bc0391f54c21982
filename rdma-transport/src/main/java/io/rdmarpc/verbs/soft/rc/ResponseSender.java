package io.rdmarpc.verbs.soft.rc;

import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.soft.domain.SoftMemoryRegion;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import io.rdmarpc.verbs.soft.qp.ConnectedQueuePair;
import io.rdmarpc.verbs.soft.rnic.DropReason;
import io.rdmarpc.verbs.soft.rnic.PacketSender;
import io.rdmarpc.verbs.soft.samehost.GrantedRead;
import io.rdmarpc.verbs.soft.samehost.OfferedWrite;
import io.rdmarpc.verbs.soft.wire.Aeth;
import io.rdmarpc.verbs.soft.wire.AtomicAckEth;
import io.rdmarpc.verbs.soft.wire.Bth;
import io.rdmarpc.verbs.soft.wire.GrantEth;
import io.rdmarpc.verbs.soft.wire.Opcode;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import io.rdmarpc.verbs.soft.wire.Psn;
import io.rdmarpc.verbs.soft.wire.Reth;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a responder says (InfiniBand Architecture Specification vol. 1, 9.7.5): answers to READs and atomics in turns of a few
 * packets, so that one peer's long READ does not hold up others; then one acknowledgement for all SENDs and WRITEs of the
 * turn, or a rejection. In the order of PSNs: each of these also speaks for all before it.
 */
final class ResponseSender {

    private static final int PACKETS_PER_TURN = 16;
    private static final int NO_REFUSAL = 0;

    private final ConnectedQueuePair qp;
    private final PacketSender packetSender;
    private final @Nullable PeerMemory peerMemory;
    private final PendingResponses pending = new PendingResponses();
    private int expectedPsn;
    private int messages;
    private int rejection;
    private boolean acknowledges;
    private boolean grantsWrite;
    private long grantedEntry;
    private int grantedPages;
    private long grantedOffset;
    private int grantedBytes;
    private boolean failureIsTold;

    ResponseSender(ConnectedQueuePair qp) {
        this.qp = qp;
        this.packetSender = qp.rnic().sender();
        this.peerMemory = qp.rnic().peerMemory();
    }

    void start(int pendingLimit, int firstPsn) {
        pending.reset(pendingLimit);
        expectedPsn = firstPsn;
        failureIsTold = false;
    }

    // ---- what to say ----

    /** A request was carried out; a rejection that it makes needless is not sent. */
    void onExecuted(int nextPsn, boolean endsMessage) {
        expectedPsn = nextPsn;
        messages += endsMessage ? 1 : 0;
        rejection = NO_REFUSAL;
        grantsWrite = false;
    }

    void acknowledge() {
        acknowledges = true;
        qp.schedule();
    }

    /** Refuses the expected PSN. */
    void refuse(int syndrome) {
        rejection = syndrome;
        qp.schedule();
    }

    /** Refuses what was thought to be answered. */
    void refuseFrom(int psn, int syndrome) {
        expectedPsn = psn;
        pending.clear();
        refuse(syndrome);
    }

    /** Refuses a request whose receive has an error completion: the own side knows. */
    void refuseAfterFailure(int syndrome) {
        failureIsTold = true;
        refuse(syndrome);
    }

    /** Answers an offer: the part may be copied, or is to be sent. */
    void grant(OfferedWrite offer, SoftMemoryRegion region) {
        grantedEntry = offer.grant(region);
        PeerMemory.Place place = grantedEntry == PeerMemory.NO_GRANT ? null : region.place();
        grantsWrite = true;
        grantedPages = place == null ? GrantEth.NOWHERE : place.pages();
        grantedOffset = place == null ? 0 : region.pagesOffset(place, offer.address() + offer.offset());
        grantedBytes = place == null ? 0 : offer.bytes();
        rejection = NO_REFUSAL;
        qp.schedule();
    }

    /** Tells whether the rejection to be sent ends the connection. */
    boolean isEnding() {
        return rejection != NO_REFUSAL && rejection != Aeth.NAK_SEQUENCE && !Aeth.isRnr(rejection);
    }

    boolean isFull() {
        return pending.isFull();
    }

    /** Answers a READ; false when there are too many. */
    boolean putRead(PacketBuffer packet, int psn, int packets, boolean repeated) {
        long address = Reth.address(packet.bytes());
        int rkey = Reth.rkey(packet.bytes());
        qp.schedule();
        boolean takesGrant = !packet.hasIcrc() && Bth.takesGrants(packet.bytes());
        boolean takesBytes = !takesGrant || !Bth.takesNoBytes(packet.bytes());
        int length = (int) Reth.length(packet.bytes());
        return pending.putRead(psn, packets, address, rkey, length, takesGrant, takesBytes, repeated);
    }

    /** Answers an atomic; false when there are too many. */
    boolean putAtomic(int psn, long found) {
        qp.schedule();
        return pending.putAtomic(psn, found);
    }

    // ---- saying it ----

    /** Sends a few packets; true when more could be sent now. */
    boolean sendSome() {
        for (int i = 0; i < PACKETS_PER_TURN && !pending.isEmpty(); i++) {
            PendingResponses.Entry first = pending.first();
            if (!sendNext(first)) {
                return true;
            }
        }
        return !pending.isEmpty() || !sendWriteGrant() || !sendAcknowledge();
    }

    /** Also acknowledges all before the expected PSN. */
    private boolean sendWriteGrant() {
        if (!grantsWrite) {
            return true;
        }
        PacketBuffer packet = packetSender.start();
        Bth.write(packet.bytes(), Opcode.RC_WRITE_GRANT, 0, qp.destinationQpn(), expectedPsn, false);
        Aeth.write(packet.bytes(), Aeth.ACK, messages);
        GrantEth.write(packet.bytes(), grantedEntry, grantedPages, grantedOffset, grantedBytes);
        boolean sent = packetSender.send(qp.route(), GrantEth.OFFSET + GrantEth.BYTES);
        grantsWrite = !sent;
        return sent;
    }

    private boolean sendNext(PendingResponses.Entry response) {
        if (response.isAtomic()) {
            return sendFoundValue(response);
        }
        SoftMemoryRegion region = grantable(response);
        if (region == null) {
            return sendReadPacket(response);
        }
        PeerMemory.Place place = region.place();
        long grant = grant(region, place);
        if (grant == PeerMemory.NO_GRANT) {
            return response.takesBytes()
                    ? sendReadPacket(response)
                    : sendReadGrant(response, PeerMemory.NO_GRANT, GrantEth.NOWHERE, 0);
        }
        PeerMemory.Place there = Objects.requireNonNull(place);
        return sendReadGrant(response, grant, there.pages(), region.pagesOffset(there, response.address()));
    }

    /** Returns the region of a whole response that the peer may find there itself, or null when it is to be sent. */
    private @Nullable SoftMemoryRegion grantable(PendingResponses.Entry response) {
        boolean whole = response.takesGrant()
                && response.nextPacket() == 0
                && response.length() >= GrantedRead.SHORTEST_BYTES
                && packetSender.isIntact(qp.route());
        return whole ? qp.remote(response.rkey(), response.address(), response.length(), AccessFlag.REMOTE_READ) : null;
    }

    private long grant(SoftMemoryRegion region, PeerMemory.@Nullable Place place) {
        return peerMemory == null || place == null
                ? PeerMemory.NO_GRANT
                : peerMemory.grant(qp.route().destination(), place.pages(), region.rkey());
    }

    /** Tells the peer where the bytes are; false when the link cannot take it now. */
    private boolean sendReadGrant(PendingResponses.Entry response, long grant, int pages, long pagesOffset) {
        PacketBuffer packet = packetSender.start();
        Bth.write(packet.bytes(), Opcode.RC_READ_GRANT, 0, qp.destinationQpn(), response.nextPsn(), false);
        Aeth.write(packet.bytes(), Aeth.ACK, messages);
        GrantEth.write(packet.bytes(), grant, pages, pagesOffset, response.length());
        if (!packetSender.send(qp.route(), GrantEth.OFFSET + GrantEth.BYTES)) {
            return false;
        }
        pending.removeFirst();
        return true;
    }

    /** Sends the next packet of a READ response; false when the link cannot take it now. */
    private boolean sendReadPacket(PendingResponses.Entry response) {
        int offset = response.nextPacket() * qp.mtuBytes();
        int left = response.length() - offset;
        int bytes = Math.min(left, qp.mtuBytes());
        int opcode = Opcode.readResponse(offset == 0, bytes == left);
        PacketBuffer packet = packetSender.start();
        int pad = Bth.padCountFor(bytes);
        Bth.write(packet.bytes(), opcode, pad, qp.destinationQpn(), response.nextPsn(), false);
        int header = Bth.BYTES;
        if (opcode != Opcode.RC_READ_RESPONSE_MIDDLE) {
            Aeth.write(packet.bytes(), Aeth.ACK, messages);
            header += Aeth.BYTES;
        }
        if (bytes > 0 && !fill(packet, header, response, offset, bytes)) {
            giveUp(response);
            return true;
        }
        return sent(response, header + bytes);
    }

    private boolean fill(PacketBuffer packet, int at, PendingResponses.Entry response, int offset, int bytes) {
        long address = response.address() + offset;
        SoftMemoryRegion region = qp.remote(response.rkey(), address, bytes, AccessFlag.REMOTE_READ);
        return region != null && region.copyOut(address, bytes, packet, at);
    }

    /** The memory was deregistered or freed under the response. */
    private void giveUp(PendingResponses.Entry response) {
        if (response.isRepeated()) {
            pending.removeFirst();
            qp.drop(DropReason.STALE_REQUEST);
        } else {
            refuseRest(response);
        }
    }

    private void refuseRest(PendingResponses.Entry response) {
        expectedPsn = response.nextPsn();
        pending.clear();
        rejection = Aeth.NAK_REMOTE_ACCESS;
    }

    private boolean sendFoundValue(PendingResponses.Entry response) {
        PacketBuffer packet = packetSender.start();
        Bth.write(packet.bytes(), Opcode.RC_ATOMIC_ACKNOWLEDGE, 0, qp.destinationQpn(), response.nextPsn(), false);
        Aeth.write(packet.bytes(), Aeth.ACK, messages);
        AtomicAckEth.write(packet.bytes(), response.found());
        return sent(response, AtomicAckEth.OFFSET + AtomicAckEth.BYTES);
    }

    private boolean sent(PendingResponses.Entry response, int bytes) {
        if (!packetSender.send(qp.route(), bytes)) {
            return false;
        }
        if (response.advance()) {
            pending.removeFirst();
        }
        return true;
    }

    /** Sends a rejection, or an acknowledgement of all before the expected PSN; false when the link cannot take it now. */
    private boolean sendAcknowledge() {
        if (rejection == NO_REFUSAL && !acknowledges) {
            return true;
        }
        boolean refuses = rejection != NO_REFUSAL;
        int psn = refuses ? expectedPsn : Psn.plus(expectedPsn, -1);
        if (!send(refuses ? rejection : Aeth.ACK, psn)) {
            return false;
        }
        boolean ends = isEnding();
        int refused = rejection;
        rejection = NO_REFUSAL;
        acknowledges = false;
        if (ends) {
            qp.enterError();
            tellOwnSide(refused);
        }
        return true;
    }

    /** No work request of its own tells this side why the connection has ended (9.9.3, 11.6.3.2). */
    private void tellOwnSide(int syndrome) {
        if (!failureIsTold) {
            qp.tell(syndrome == Aeth.NAK_REMOTE_ACCESS ? AsyncEventType.QP_ACCESS_ERR : AsyncEventType.QP_REQ_ERR);
        }
    }

    private boolean send(int syndrome, int psn) {
        PacketBuffer packet = packetSender.start();
        Bth.write(packet.bytes(), Opcode.RC_ACKNOWLEDGE, 0, qp.destinationQpn(), psn, false);
        Aeth.write(packet.bytes(), syndrome, messages);
        return packetSender.send(qp.route(), Bth.BYTES + Aeth.BYTES);
    }

    void forget() {
        pending.clear();
        rejection = NO_REFUSAL;
        acknowledges = false;
        grantsWrite = false;
        messages = 0;
    }
}
