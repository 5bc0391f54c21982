package io.rdmarpc.rpc.engine.stream;

import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.engine.context.EngineContext;
import io.rdmarpc.rpc.engine.context.EngineCounters;
import io.rdmarpc.rpc.engine.context.EngineCounters.Counter;
import io.rdmarpc.rpc.engine.context.EngineCounters.Drop;
import io.rdmarpc.rpc.engine.packet.CreditPool;
import io.rdmarpc.rpc.engine.packet.ReceiveRingLedger;
import io.rdmarpc.rpc.engine.packet.ReceivedHeader;
import io.rdmarpc.rpc.engine.packet.Transmitter;
import io.rdmarpc.rpc.engine.session.EngineSession;
import io.rdmarpc.rpc.engine.session.SessionStream;
import io.rdmarpc.rpc.engine.session.StreamTable;
import io.rdmarpc.rpc.engine.transfer.LargeTransfers;
import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.rpc.wire.PacketType;
import io.rdmarpc.rpc.wire.StreamCredit;
import java.util.ArrayList;
import java.util.List;

/** The streams of all sessions: their packets and acknowledgments. Engine thread only. */
public final class Streams {

    private final int retransmitLimit;
    private final ReceiveRingLedger ring;
    private final CreditPool credits;
    private final Transmitter transmitter;
    private final LargeTransfers transfers;
    private final EngineCounters counters;
    private final List<EngineStream> acknowledging = new ArrayList<>();

    public Streams(
            EngineContext context,
            Transmitter transmitter,
            LargeTransfers transfers,
            ReceiveRingLedger ring,
            CreditPool credits) {
        this.retransmitLimit = context.config().retransmit().maxAttempts();
        this.ring = ring;
        this.credits = credits;
        this.transmitter = transmitter;
        this.transfers = transfers;
        this.counters = context.counters();
    }

    /** Casts a stream of a session's table, which this engine has created. */
    private static EngineStream engineStream(SessionStream stream) {
        return (EngineStream) stream;
    }

    CreditPool credits() {
        return credits;
    }

    StreamSender senderOf(EngineStream stream) {
        return new StreamSender(stream, transmitter, counters, retransmitLimit);
    }

    StreamInbox inboxOf(EngineStream stream, int granted) {
        return new StreamInbox(stream, ring, credits, transfers, counters, granted);
    }

    /** Begins a stream; returns the initial credits of the peer. */
    public int add(EngineStream stream) {
        return stream.begin();
    }

    /** Counts a stream that has begun. */
    void began() {
        counters.increment(Counter.STREAMS_OPENED);
        counters.add(Counter.STREAMS_OPEN, 1);
    }

    /** Counts the end of a stream that {@linkplain #began began}. */
    void ended() {
        counters.add(Counter.STREAMS_OPEN, -1);
    }

    /**
     * Accepts a client's stream. The client has ended the previous stream of that slot. Returns the initial credits of
     * the client.
     */
    public int accept(EngineStream stream, int credits, long nowNanos) {
        SessionStream last = stream.session().streams.put(stream);
        if (last != null) {
            engineStream(last).onSlotReused();
        }
        if (!stream.session().isOpen()) {
            stream.sessionEnded();
            return 0;
        }
        int first = add(stream);
        stream.opened(credits, nowNanos);
        return first;
    }

    /** Handles a packet that the dispatcher has checked; returns true if the ring entry was passed to a reader. */
    public boolean onPacket(EngineSession session, ReceivedHeader packet, long nowNanos) {
        SessionStream found = session.streams.find(packet.methodId);
        EngineStream stream = found == null ? null : engineStream(found);
        boolean acknowledgment = (packet.type & ~PacketType.TO_CLIENT) == PacketType.STREAM_ACK;
        if (stream == null || stream.isAbandoned()) {
            onUnknown(session, packet, acknowledgment);
            return false;
        }
        if (!acknowledgment) {
            return stream.onItem(packet);
        }
        if (packet.payloadBytes != StreamCredit.BYTES) {
            counters.drop(Drop.LENGTH);
            return false;
        }
        long limit = StreamCredit.read(ring.memory(), packet.payloadAt);
        if (!stream.onAcknowledgment(packet, limit, nowNanos)) {
            counters.drop(Drop.STATE);
        }
        return false;
    }

    /** Notifies a peer that sends on a stream that no longer exists, so that the peer frees its items. */
    private void onUnknown(EngineSession session, ReceivedHeader packet, boolean acknowledgment) {
        counters.drop(Drop.STALE);
        boolean needsNotification = !acknowledgment || (packet.flags & PacketHeader.FLAG_STREAM_PROBE) != 0;
        if (needsNotification) {
            sendGone(session, packet.methodId);
        }
    }

    /**
     * Notifies the peer that a stream no longer exists. If the notification is lost, the peer's next packet for that
     * stream causes another one.
     */
    void sendGone(EngineSession session, int id) {
        int type = PacketType.STREAM_ACK | (session.isClient() ? 0 : PacketType.TO_CLIENT);
        sendAcknowledgment(session, type, PacketHeader.FLAG_STREAM_GONE, id, 0, 0);
    }

    /** Sends an acknowledgment; returns false if there is no memory for it now. */
    boolean sendAcknowledgment(EngineSession session, int type, int flags, int id, long next, long limit) {
        RegisteredBlock block = transmitter.tryTakeBlock();
        if (block == null) {
            return false;
        }
        PacketHeader.write(
                block.memory(), 0, type, 0, flags, session.peerId, session.cookie, next, id, StreamCredit.BYTES);
        StreamCredit.write(block.memory(), PacketHeader.BYTES, limit);
        transmitter.sendOnce(transmitter.acquire(session.path, block, 0, PacketHeader.BYTES + StreamCredit.BYTES));
        return true;
    }

    void acknowledgeLater(EngineStream stream) {
        acknowledging.add(stream);
    }

    /** Sends one acknowledgment per stream and duty cycle. Without memory it is sent in the next cycle. */
    public int flush() {
        if (acknowledging.isEmpty()) {
            return 0;
        }
        int before = acknowledging.size();
        acknowledging.removeIf(stream -> !stream.session().isOpen() || stream.sendAcknowledgment());
        return before - acknowledging.size();
    }

    /** Ends the streams of a session that has ended. */
    public void sessionEnded(EngineSession session) {
        for (int slot = 0; slot < StreamTable.STREAMS; slot++) {
            SessionStream stream = session.streams.at(slot);
            if (stream != null) {
                engineStream(stream).sessionEnded();
            }
        }
        acknowledging.removeIf(stream -> stream.session().equals(session));
    }
}
