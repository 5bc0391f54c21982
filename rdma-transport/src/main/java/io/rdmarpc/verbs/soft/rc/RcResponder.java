package io.rdmarpc.verbs.soft.rc;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.soft.domain.SoftMemoryRegion;
import io.rdmarpc.verbs.soft.port.DeviceConstants;
import io.rdmarpc.verbs.soft.qp.ConnectedQueuePair;
import io.rdmarpc.verbs.soft.rnic.DropReason;
import io.rdmarpc.verbs.soft.samehost.OfferedWrite;
import io.rdmarpc.verbs.soft.uc.MessageReceiver;
import io.rdmarpc.verbs.soft.wire.Aeth;
import io.rdmarpc.verbs.soft.wire.AtomicEth;
import io.rdmarpc.verbs.soft.wire.Bth;
import io.rdmarpc.verbs.soft.wire.CopiedEth;
import io.rdmarpc.verbs.soft.wire.Icrc;
import io.rdmarpc.verbs.soft.wire.OfferEth;
import io.rdmarpc.verbs.soft.wire.Opcode;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import io.rdmarpc.verbs.soft.wire.Psn;
import io.rdmarpc.verbs.soft.wire.Reth;
import io.rdmarpc.verbs.wr.CompletionStatus;

/**
 * The responder of a reliable connection (InfiniBand Architecture Specification vol. 1, 9.7.4, 9.7.5 and 9.9.3). It
 * executes requests on arrival, in the order of their PSNs. {@link ResponseSender} sends the responses. A forbidden
 * request is rejected after the responses to all earlier ones, and ends the connection. So a peer that guesses keys has
 * only one guess.
 */
final class RcResponder {

    private static final int READ_REQUEST_BYTES = Bth.BYTES + Reth.BYTES + Icrc.BYTES;
    private static final int ATOMIC_REQUEST_BYTES = Bth.BYTES + AtomicEth.BYTES + Icrc.BYTES;
    private static final int OFFER_BYTES = Bth.BYTES + OfferEth.BYTES + Icrc.BYTES;
    private static final int COPIED_BYTES = Bth.BYTES + CopiedEth.BYTES + Icrc.BYTES;
    private static final int NO_NAK = 0;
    private static final int EXTRA_REPEATS = 16;

    private final ConnectedQueuePair qp;
    private final MessageReceiver receiver;
    private final ResponseSender responses;
    private final AtomicUnit atomics = new AtomicUnit();
    private final AtomicReplays replays = new AtomicReplays();
    private final OfferedWrite offered;
    private final RepeatLimit unreadableRepeats = new RepeatLimit();
    private int expectedPsn;
    private int notReadySyndrome;
    private boolean gapReported;
    private boolean supportsReads;

    RcResponder(ConnectedQueuePair qp) {
        this.qp = qp;
        this.receiver = new MessageReceiver(qp);
        this.responses = new ResponseSender(qp);
        this.offered = new OfferedWrite(qp);
    }

    /** Applies the attributes of the transition to RTR. */
    void start(QueuePairAttributes attributes) {
        forget();
        int reads = attributes.maxDestReadAtomic();
        expectedPsn = attributes.receivePsn();
        notReadySyndrome = Aeth.RNR | attributes.minRnrTimer();
        supportsReads = reads > 0;
        replays.reset(reads);
        // Duplicates are held in addition to the READs that the peer may have outstanding.
        responses.start(2 * reads + EXTRA_REPEATS, expectedPsn);
    }

    /** Applies MIN_RNR_TIMER, which may change at any time. */
    void configureNotReady(int timerCode) {
        notReadySyndrome = Aeth.RNR | timerCode;
    }

    /** Handles a request packet. */
    void onRequest(int opcode, PacketBuffer packet) {
        int psn = Bth.psn(packet.bytes());
        int distance = Psn.distance(expectedPsn, psn);
        if (responses.isEnding()) {
            qp.drop(DropReason.WRONG_STATE);
        } else if (distance > 0) {
            onEarly();
        } else if (opcode == Opcode.RC_READ_REQUEST && supportsReads) {
            onRead(packet, psn, distance == 0);
        } else if (Opcode.isAtomic(opcode) && supportsReads) {
            onAtomic(opcode, packet, psn, distance == 0);
        } else if (Opcode.isSend(opcode) || Opcode.isWrite(opcode)) {
            onMessage(opcode, packet, distance == 0);
        } else {
            onUnsupported(distance == 0);
        }
    }

    /** Reports once that an earlier request is missing (9.7.5.2, PSN sequence error). */
    private void onEarly() {
        qp.drop(DropReason.EARLY_REQUEST);
        if (!gapReported) {
            gapReported = true;
            responses.reject(Aeth.NAK_SEQUENCE);
        }
    }

    private void onUnsupported(boolean isNew) {
        qp.drop(DropReason.WRONG_OPCODE);
        if (isNew) {
            responses.reject(Aeth.NAK_INVALID_REQUEST);
        }
    }

    private void executed(int packets, boolean endsMessage) {
        offered.forget();
        expectedPsn = Psn.plus(expectedPsn, packets);
        gapReported = false;
        responses.onExecuted(expectedPsn, endsMessage);
    }

    // ---- SEND and WRITE ----

    private void onMessage(int opcode, PacketBuffer packet, boolean isNew) {
        if (!isNew) {
            // Executed before: only the acknowledgment was lost (9.7.5.1.2).
            qp.drop(DropReason.REPEATED_REQUEST);
            responses.acknowledge();
            return;
        }
        MessageReceiver.Outcome outcome = receiver.accept(opcode, packet);
        switch (outcome) {
            case TAKEN, COMPLETE -> {
                executed(1, outcome == MessageReceiver.Outcome.COMPLETE);
                if (Bth.requestsAck(packet.bytes())) {
                    responses.acknowledge();
                }
            }
            case NOT_READY -> {
                // Later requests are dropped until this one is repeated, without a second NAK.
                gapReported = true;
                qp.drop(DropReason.NO_RECEIVE);
                responses.reject(notReadySyndrome);
            }
            case INVALID -> responses.reject(Aeth.NAK_INVALID_REQUEST);
            case NO_ACCESS -> responses.reject(Aeth.NAK_REMOTE_ACCESS);
            case TOO_LONG -> failReceive(CompletionStatus.LOC_LEN_ERR, Aeth.NAK_INVALID_REQUEST);
            case LOCAL_FAULT -> failReceive(CompletionStatus.LOC_PROT_ERR, Aeth.NAK_REMOTE_OPERATIONAL);
        }
    }

    private void failReceive(int status, int syndrome) {
        qp.failReceive(status);
        responses.rejectAfterFailure(syndrome);
    }

    // ---- WRITE by copying ----

    /** Handles an offer, or the report that a granted part is copied. */
    void onMappedWrite(int opcode, PacketBuffer packet) {
        int distance = Psn.distance(expectedPsn, Bth.psn(packet.bytes()));
        boolean offers = opcode == Opcode.RC_WRITE_OFFER;
        if (responses.isEnding()) {
            qp.drop(DropReason.WRONG_STATE);
        } else if (packet.length() != (offers ? OFFER_BYTES : COPIED_BYTES) || Bth.padCount(packet.bytes()) != 0) {
            qp.drop(DropReason.MALFORMED);
        } else if (distance > 0) {
            onEarly();
        } else if (distance < 0) {
            qp.drop(DropReason.REPEATED_REQUEST);
            responses.acknowledge();
        } else if (offers) {
            onOffer(packet);
        } else {
            onCopied(packet);
        }
    }

    /** Handles an offer. The expected PSN advances only when the bytes have been copied or received in packets. */
    private void onOffer(PacketBuffer packet) {
        MessageReceiver.Outcome outcome =
                offered.read(packet) ? receiver.check(offered) : MessageReceiver.Outcome.INVALID;
        SoftMemoryRegion region = offered.region();
        if (outcome == MessageReceiver.Outcome.INVALID) {
            responses.reject(Aeth.NAK_INVALID_REQUEST);
        } else if (outcome == MessageReceiver.Outcome.NO_ACCESS || region == null) {
            responses.reject(Aeth.NAK_REMOTE_ACCESS);
        } else {
            gapReported = false;
            responses.grant(offered, region);
        }
    }

    private void onCopied(PacketBuffer packet) {
        if (!offered.isGranted(CopiedEth.length(packet.bytes()))) {
            responses.reject(Aeth.NAK_INVALID_REQUEST);
            return;
        }
        int packets = packets(offered.bytes());
        switch (receiver.accept(offered, packet)) {
            case TAKEN, COMPLETE -> {
                executed(packets, offered.endsMessage());
                responses.acknowledge();
            }
            case NOT_READY -> {
                gapReported = true;
                qp.drop(DropReason.NO_RECEIVE);
                responses.reject(notReadySyndrome);
            }
            default -> responses.reject(Aeth.NAK_INVALID_REQUEST);
        }
    }

    // ---- READ ----

    private void onRead(PacketBuffer packet, int psn, boolean isNew) {
        if (packet.length() != READ_REQUEST_BYTES || Bth.padCount(packet.bytes()) != 0) {
            qp.drop(DropReason.MALFORMED);
        } else if (isNew) {
            onNewRead(packet);
        } else {
            onRepeatedRead(packet, psn);
        }
    }

    private void onNewRead(PacketBuffer packet) {
        int problem = receiver.isInMessage() ? Aeth.NAK_INVALID_REQUEST : problemOf(packet);
        if (problem != NO_NAK) {
            responses.reject(problem);
            return;
        }
        int packets = packets(Reth.length(packet.bytes()));
        if (responses.putRead(packet, expectedPsn, packets, false)) {
            executed(packets, true);
        } else {
            qp.drop(DropReason.TOO_MANY_READS);
        }
    }

    /** Handles a duplicate of a request or of a part of it, and reads the memory again (9.7.5.1.2). */
    private void onRepeatedRead(PacketBuffer packet, int psn) {
        long length = Reth.length(packet.bytes());
        boolean known =
                length <= DeviceConstants.MAX_MESSAGE_BYTES && packets(length) <= Psn.distance(psn, expectedPsn);
        boolean readable = known && problemOf(packet) == NO_NAK;
        if (!readable && !packet.hasIcrc() && Bth.isGrantRevoked(packet.bytes())) {
            // The request is not late: the peer has received nothing and gets an error.
            responses.rejectFrom(psn, Aeth.NAK_REMOTE_ACCESS);
        } else if (known && !readable && !unreadableRepeats.allows(qp.rnic().nanoTime())) {
            responses.reject(Aeth.NAK_REMOTE_ACCESS);
        } else if (!readable) {
            qp.drop(DropReason.STALE_REQUEST);
        } else if (!responses.putRead(packet, psn, packets(length), true)) {
            qp.drop(DropReason.TOO_MANY_READS);
        }
    }

    private int problemOf(PacketBuffer packet) {
        long length = Reth.length(packet.bytes());
        if (!qp.allows(AccessFlag.REMOTE_READ) || length > DeviceConstants.MAX_MESSAGE_BYTES) {
            return Aeth.NAK_INVALID_REQUEST;
        }
        // The key of a READ of 0 bytes is not checked (C9-88).
        return length == 0
                        || qp.remote(
                                        Reth.rkey(packet.bytes()),
                                        Reth.address(packet.bytes()),
                                        length,
                                        AccessFlag.REMOTE_READ)
                                != null
                ? NO_NAK
                : Aeth.NAK_REMOTE_ACCESS;
    }

    private int packets(long bytes) {
        return (int) Math.max(1, (bytes + qp.mtuBytes() - 1) / qp.mtuBytes());
    }

    // ---- atomics ----

    private void onAtomic(int opcode, PacketBuffer packet, int psn, boolean isNew) {
        if (packet.length() != ATOMIC_REQUEST_BYTES || Bth.padCount(packet.bytes()) != 0) {
            qp.drop(DropReason.MALFORMED);
        } else if (isNew) {
            onNewAtomic(opcode, packet);
        } else {
            onRepeatedAtomic(psn);
        }
    }

    /** Executes an atomic. The address must be a multiple of 8 (9.4.5: otherwise an invalid request). */
    private void onNewAtomic(int opcode, PacketBuffer packet) {
        long address = AtomicEth.address(packet.bytes());
        if (receiver.isInMessage() || !qp.allows(AccessFlag.REMOTE_ATOMIC) || address % Long.BYTES != 0) {
            responses.reject(Aeth.NAK_INVALID_REQUEST);
            return;
        }
        if (responses.isFull()) {
            qp.drop(DropReason.TOO_MANY_READS);
            return;
        }
        SoftMemoryRegion region =
                qp.remote(AtomicEth.rkey(packet.bytes()), address, Long.BYTES, AccessFlag.REMOTE_ATOMIC);
        if (region == null || !execute(opcode, region, address, packet)) {
            responses.reject(Aeth.NAK_REMOTE_ACCESS);
            return;
        }
        replays.add(expectedPsn, atomics.found());
        responses.putAtomic(expectedPsn, atomics.found());
        executed(1, true);
    }

    private boolean execute(int opcode, SoftMemoryRegion region, long address, PacketBuffer packet) {
        long operand = AtomicEth.swapOrAdd(packet.bytes());
        return opcode == Opcode.RC_COMPARE_SWAP
                ? atomics.compareAndSwap(region, address, AtomicEth.compare(packet.bytes()), operand)
                : atomics.fetchAndAdd(region, address, operand);
    }

    private void onRepeatedAtomic(int psn) {
        int index = replays.find(psn);
        if (index < 0) {
            qp.drop(DropReason.STALE_REQUEST);
        } else if (!responses.putAtomic(psn, replays.value(index))) {
            qp.drop(DropReason.TOO_MANY_READS);
        }
    }

    // ---- responses ----

    /** Sends a few packets; true if more could be sent now. */
    boolean sendSome() {
        return responses.sendSome();
    }

    /** Discards all requests. */
    void forget() {
        responses.forget();
        receiver.abandon();
        offered.forget();
        replays.clear();
        unreadableRepeats.reset();
        gapReported = false;
    }
}
