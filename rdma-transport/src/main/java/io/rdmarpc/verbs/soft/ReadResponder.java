package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.AccessFlag;
import io.rdmarpc.verbs.QueuePairAttributes;
import io.rdmarpc.verbs.soft.wire.Aeth;
import io.rdmarpc.verbs.soft.wire.Bth;
import io.rdmarpc.verbs.soft.wire.Icrc;
import io.rdmarpc.verbs.soft.wire.Opcode;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import io.rdmarpc.verbs.soft.wire.Psn;
import io.rdmarpc.verbs.soft.wire.Reth;
import org.jspecify.annotations.Nullable;

/**
 * The answering side of RDMA READ (InfiniBand Architecture Specification vol. 1, 9.4.4; responder behaviour: 9.7.4 and 9.9.3).
 * Requests are checked as they come and answered in turns of a few packets, so that one peer's long READ does not hold up
 * others. A request that may not be carried out is refused after all earlier ones were answered, and ends the connection: who
 * guesses keys has one guess.
 */
final class ReadResponder {

    private static final int PACKETS_PER_TURN = 16;
    private static final int REQUEST_BYTES = Bth.BYTES + Reth.BYTES + Icrc.BYTES;
    private static final int NO_REFUSAL = 0;
    private static final int EXTRA_REPEATS = 16;

    private final RcQueuePair qp;
    private final PendingResponses pending = new PendingResponses();
    private int expectedPsn;
    private int messages;
    private int refusal;
    private boolean gapReported;
    private boolean answersReads;

    ReadResponder(RcQueuePair qp) {
        this.qp = qp;
    }

    /** Takes the attributes of the step to RTR. */
    void start(QueuePairAttributes attributes) {
        expectedPsn = attributes.receivePsn();
        answersReads = attributes.maxDestReadAtomic() > 0;
        // Repeated ones come on top of those that the peer was granted.
        pending.reset(2 * attributes.maxDestReadAtomic() + EXTRA_REPEATS);
    }

    // ---- requests ----

    /** Takes a request packet. */
    void onRequest(int opcode, PacketBuffer packet) {
        int psn = Bth.psn(packet.bytes());
        int distance = Psn.distance(expectedPsn, psn);
        if (isEnding()) {
            qp.drop(DropReason.WRONG_STATE);
        } else if (distance > 0) {
            onEarly();
        } else if (opcode != Opcode.RC_READ_REQUEST || !answersReads) {
            onUnsupported(distance == 0);
        } else if (packet.length() != REQUEST_BYTES || Bth.padCount(packet.bytes()) != 0) {
            qp.drop(DropReason.MALFORMED);
        } else if (distance == 0) {
            onExpected(packet);
        } else {
            onRepeated(packet, psn);
        }
    }

    private boolean isEnding() {
        return refusal != NO_REFUSAL && refusal != Aeth.NAK_SEQUENCE;
    }

    /** A request before this one is missing: says so, once (9.7.5.2, PSN sequence error). */
    private void onEarly() {
        qp.drop(DropReason.EARLY_REQUEST);
        if (!gapReported) {
            gapReported = true;
            refuse(Aeth.NAK_SEQUENCE);
        }
    }

    private void onUnsupported(boolean isNew) {
        qp.drop(DropReason.WRONG_OPCODE);
        if (isNew) {
            refuse(Aeth.NAK_INVALID_REQUEST);
        }
    }

    private void onExpected(PacketBuffer packet) {
        int problem = problemOf(packet);
        if (problem != NO_REFUSAL) {
            refuse(problem);
            return;
        }
        int packets = packets(Reth.length(packet.bytes()));
        if (!put(packet, expectedPsn, packets)) {
            qp.drop(DropReason.TOO_MANY_READS);
            return;
        }
        expectedPsn = Psn.plus(expectedPsn, packets);
        messages++;
        gapReported = false;
        refusal = NO_REFUSAL;
    }

    /** A request that was answered before, or a part of it: carried out again from memory as it is now (9.7.4). */
    private void onRepeated(PacketBuffer packet, int psn) {
        long length = Reth.length(packet.bytes());
        boolean known = length <= SoftContext.MAX_MESSAGE_BYTES
                && packets(length) <= Psn.distance(psn, expectedPsn)
                && problemOf(packet) == NO_REFUSAL;
        if (!known) {
            qp.drop(DropReason.STALE_REQUEST);
        } else if (!put(packet, psn, packets(length))) {
            qp.drop(DropReason.TOO_MANY_READS);
        }
    }

    private int problemOf(PacketBuffer packet) {
        long length = Reth.length(packet.bytes());
        if (!qp.allowsRemoteRead() || length > SoftContext.MAX_MESSAGE_BYTES) {
            return Aeth.NAK_INVALID_REQUEST;
        }
        // The key of a READ of nothing is not checked (C9-88).
        return length == 0 || region(Reth.rkey(packet.bytes()), Reth.address(packet.bytes()), length) != null
                ? NO_REFUSAL
                : Aeth.NAK_REMOTE_ACCESS;
    }

    private @Nullable SoftMemoryRegion region(int rkey, long address, long length) {
        return qp.rnic().memory().remote(qp.domain(), rkey, address, length, AccessFlag.REMOTE_READ.bit());
    }

    private int packets(long bytes) {
        return (int) Math.max(1, (bytes + qp.mtuBytes() - 1) / qp.mtuBytes());
    }

    private boolean put(PacketBuffer packet, int psn, int packets) {
        long address = Reth.address(packet.bytes());
        int rkey = Reth.rkey(packet.bytes());
        qp.standInLine();
        return pending.put(psn, packets, address, rkey, (int) Reth.length(packet.bytes()));
    }

    private void refuse(int syndrome) {
        refusal = syndrome;
        qp.standInLine();
    }

    // ---- answers ----

    /** Sends a few packets; true when more could be sent now. */
    boolean sendSome() {
        for (int i = 0; i < PACKETS_PER_TURN && !pending.isEmpty(); i++) {
            if (!sendPacket(pending.first())) {
                return true;
            }
        }
        return !pending.isEmpty() || (refusal != NO_REFUSAL && !sendRefusal());
    }

    /** Sends the next packet of a response; false when the link cannot take it now. */
    private boolean sendPacket(PendingResponses.Entry response) {
        int offset = response.nextPacket() * qp.mtuBytes();
        int left = response.length() - offset;
        int bytes = Math.min(left, qp.mtuBytes());
        int opcode = Opcode.readResponse(offset == 0, bytes == left);
        PacketBuffer packet = qp.rnic().sender().start();
        int pad = PacketSender.padCount(bytes);
        Bth.write(packet.bytes(), opcode, pad, qp.destinationQpn(), response.nextPsn(), false);
        int header = Bth.BYTES;
        if (opcode != Opcode.RC_READ_RESPONSE_MIDDLE) {
            Aeth.write(packet.bytes(), Aeth.ACK, messages);
            header += Aeth.BYTES;
        }
        if (bytes > 0 && !fill(packet, header, response, offset, bytes)) {
            refuseRest(response);
            return true;
        }
        if (!qp.rnic().sender().send(qp.route(), header + bytes)) {
            return false;
        }
        if (response.advance()) {
            pending.removeFirst();
        }
        return true;
    }

    private boolean fill(PacketBuffer packet, int at, PendingResponses.Entry response, int offset, int bytes) {
        long address = response.address() + offset;
        SoftMemoryRegion region = region(response.rkey(), address, bytes);
        return region != null && region.copyOut(address, bytes, packet, at);
    }

    /** The memory was deregistered or freed under the response. */
    private void refuseRest(PendingResponses.Entry response) {
        expectedPsn = response.nextPsn();
        pending.clear();
        refusal = Aeth.NAK_REMOTE_ACCESS;
    }

    /** Sends the refusal; false when the link cannot take it now. */
    private boolean sendRefusal() {
        if (!qp.acknowledge(refusal, expectedPsn, messages)) {
            return false;
        }
        boolean ends = isEnding();
        refusal = NO_REFUSAL;
        if (ends) {
            qp.enterError();
        }
        return true;
    }

    /** Forgets what was asked for. */
    void forget() {
        pending.clear();
        refusal = NO_REFUSAL;
        gapReported = false;
        messages = 0;
    }
}
