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
 * Sends the responses of a responder (InfiniBand Architecture Specification vol. 1, 9.7.5). Responses to READs and
 * atomics are sent a few packets at a time, so that one peer's long READ does not block others. After them one
 * acknowledgment covers all SENDs and WRITEs so far, or a NAK is sent. Responses are in the order of PSNs, and each
 * acknowledges all requests before it.
 */
final class ResponseSender {

    private static final int PACKETS_PER_RUN = 16;
    private static final int NO_NAK = 0;

    private final ConnectedQueuePair qp;
    private final PacketSender packetSender;
    private final @Nullable PeerMemory peerMemory;
    private final PendingResponses pending = new PendingResponses();
    private int expectedPsn;
    private int messages;
    private int nak;
    private boolean acknowledges;
    private boolean grantsWrite;
    private long grantedEntry;
    private int grantedPages;
    private long grantedOffset;
    private int grantedBytes;
    private boolean isFailureReported;

    ResponseSender(ConnectedQueuePair qp) {
        this.qp = qp;
        this.packetSender = qp.rnic().sender();
        this.peerMemory = qp.rnic().peerMemory();
    }

    void start(int pendingLimit, int firstPsn) {
        pending.reset(pendingLimit);
        expectedPsn = firstPsn;
        isFailureReported = false;
    }

    // ---- scheduling responses ----

    /** Handles the execution of a request, which cancels a pending NAK. */
    void onExecuted(int nextPsn, boolean endsMessage) {
        expectedPsn = nextPsn;
        messages += endsMessage ? 1 : 0;
        nak = NO_NAK;
        grantsWrite = false;
    }

    void acknowledge() {
        acknowledges = true;
        qp.schedule();
    }

    /** Rejects the expected PSN. */
    void reject(int syndrome) {
        nak = syndrome;
        qp.schedule();
    }

    /** Rejects a request whose response was already sent. */
    void rejectFrom(int psn, int syndrome) {
        expectedPsn = psn;
        pending.clear();
        reject(syndrome);
    }

    /** Rejects a request whose receive completes with an error, so that no event is needed on this side. */
    void rejectAfterFailure(int syndrome) {
        isFailureReported = true;
        reject(syndrome);
    }

    /** Responds to an offer: the part may be copied, or has to be sent. */
    void grant(OfferedWrite offer, SoftMemoryRegion region) {
        grantedEntry = offer.grant(region);
        PeerMemory.Place place = grantedEntry == PeerMemory.NO_GRANT ? null : region.place();
        grantsWrite = true;
        grantedPages = place == null ? GrantEth.NOWHERE : place.pages();
        grantedOffset = place == null ? 0 : region.pagesOffset(place, offer.address() + offer.offset());
        grantedBytes = place == null ? 0 : offer.bytes();
        nak = NO_NAK;
        qp.schedule();
    }

    /** Returns whether the pending NAK ends the connection. */
    boolean isEnding() {
        return nak != NO_NAK && nak != Aeth.NAK_SEQUENCE && !Aeth.isRnr(nak);
    }

    boolean isFull() {
        return pending.isFull();
    }

    /** Adds the response to a READ; false if there are too many. */
    boolean putRead(PacketBuffer packet, int psn, int packets, boolean repeated) {
        long address = Reth.address(packet.bytes());
        int rkey = Reth.rkey(packet.bytes());
        qp.schedule();
        boolean acceptsGrant = !packet.hasIcrc() && Bth.acceptsGrants(packet.bytes());
        boolean acceptsBytes = !acceptsGrant || !Bth.acceptsNoBytes(packet.bytes());
        int length = (int) Reth.length(packet.bytes());
        return pending.putRead(psn, packets, address, rkey, length, acceptsGrant, acceptsBytes, repeated);
    }

    /** Adds the response to an atomic; false if there are too many. */
    boolean putAtomic(int psn, long found) {
        qp.schedule();
        return pending.putAtomic(psn, found);
    }

    // ---- sending responses ----

    /** Sends a few packets; true if more could be sent now. */
    boolean sendSome() {
        for (int i = 0; i < PACKETS_PER_RUN && !pending.isEmpty(); i++) {
            PendingResponses.Entry first = pending.first();
            if (!sendNext(first)) {
                return true;
            }
        }
        return !pending.isEmpty() || !sendWriteGrant() || !sendAcknowledge();
    }

    /** Sends the response to an offer, which also acknowledges all requests before the expected PSN. */
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
            return sendOriginalValue(response);
        }
        SoftMemoryRegion region = grantable(response);
        if (region == null) {
            return sendReadPacket(response);
        }
        PeerMemory.Place place = region.place();
        long grant = grant(region, place);
        if (grant == PeerMemory.NO_GRANT) {
            return response.acceptsBytes()
                    ? sendReadPacket(response)
                    : sendReadGrant(response, PeerMemory.NO_GRANT, GrantEth.NOWHERE, 0);
        }
        PeerMemory.Place there = Objects.requireNonNull(place);
        return sendReadGrant(response, grant, there.pages(), region.pagesOffset(there, response.address()));
    }

    /** Returns the region of a complete response that may be granted, or null if the bytes have to be sent. */
    private @Nullable SoftMemoryRegion grantable(PendingResponses.Entry response) {
        boolean whole = response.acceptsGrant()
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

    /** Sends a grant with the location of the bytes; false if the link is full. */
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

    /** Sends the next packet of a READ response; false if the link is full. */
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
            abandon(response);
            return true;
        }
        return sent(response, header + bytes);
    }

    private boolean fill(PacketBuffer packet, int at, PendingResponses.Entry response, int offset, int bytes) {
        long address = response.address() + offset;
        SoftMemoryRegion region = qp.remote(response.rkey(), address, bytes, AccessFlag.REMOTE_READ);
        return region != null && region.copyOut(address, bytes, packet, at);
    }

    /** Ends a response whose memory was deregistered or freed. */
    private void abandon(PendingResponses.Entry response) {
        if (response.isRepeated()) {
            pending.removeFirst();
            qp.drop(DropReason.STALE_REQUEST);
        } else {
            rejectRest(response);
        }
    }

    private void rejectRest(PendingResponses.Entry response) {
        expectedPsn = response.nextPsn();
        pending.clear();
        nak = Aeth.NAK_REMOTE_ACCESS;
    }

    private boolean sendOriginalValue(PendingResponses.Entry response) {
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

    /** Sends a NAK, or an acknowledgment of all requests before the expected PSN; false if the link is full. */
    private boolean sendAcknowledge() {
        if (nak == NO_NAK && !acknowledges) {
            return true;
        }
        boolean sendsNak = nak != NO_NAK;
        int psn = sendsNak ? expectedPsn : Psn.plus(expectedPsn, -1);
        if (!send(sendsNak ? nak : Aeth.ACK, psn)) {
            return false;
        }
        boolean ends = isEnding();
        int sentNak = nak;
        nak = NO_NAK;
        acknowledges = false;
        if (ends) {
            qp.enterError();
            reportEnd(sentNak);
        }
        return true;
    }

    /** Reports an event, because no local work request reports why the connection has ended (9.9.3, 11.6.3.2). */
    private void reportEnd(int syndrome) {
        if (!isFailureReported) {
            qp.report(syndrome == Aeth.NAK_REMOTE_ACCESS ? AsyncEventType.QP_ACCESS_ERR : AsyncEventType.QP_REQ_ERR);
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
        nak = NO_NAK;
        acknowledges = false;
        grantsWrite = false;
        messages = 0;
    }
}
