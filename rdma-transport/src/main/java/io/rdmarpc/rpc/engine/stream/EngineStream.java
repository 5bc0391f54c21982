package io.rdmarpc.rpc.engine.stream;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.RpcStream;
import io.rdmarpc.rpc.StreamReceiver;
import io.rdmarpc.rpc.engine.context.EngineContext;
import io.rdmarpc.rpc.engine.packet.ReceivedHeader;
import io.rdmarpc.rpc.engine.session.EngineSession;
import io.rdmarpc.rpc.engine.session.SessionStream;
import io.rdmarpc.rpc.error.RdmaErrorDetails;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.wire.FailureText;
import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.rpc.wire.PacketType;
import org.jspecify.annotations.Nullable;

/**
 * One end of a stream, with a sending and a receiving half. It is over when the peer has acknowledged the end of the
 * sending half and the peer's own end has arrived. A failure in either half ends both, so that every message is
 * acknowledged and its memory is freed.
 *
 * <pre>
 *   OPENING (client) -> OPEN -> over
 *                       OPEN -> FAILED (user notified; drops messages, waits for the last acknowledgment) -> over
 *                       any  -> over                                          the session has ended
 * </pre>
 */
public final class EngineStream extends SessionStream implements RpcStream {

    /**
     * Maximum number of sequence numbers in flight: the credits, the end, and room to distinguish late numbers from new
     * ones.
     */
    static final int MAX_AHEAD = 2 * MAX_CREDITS;

    /**
     * Number of ring entries for acknowledgments and the end, which use no credit. There is one such packet per duty
     * cycle, rarely two at a time.
     */
    private static final int UNCOUNTED = 1;

    private static final FailureText NOTHING = new FailureText("", "");

    private final Streams streams;
    private final EngineContext context;
    private final EngineSession session;
    private final int id;
    private final StreamListener listener;
    private final StreamTimer timer = new StreamTimer(this);
    private final long deadlineNanos;
    private final StreamSender sender;
    private final StreamInbox inbox;
    private final StreamOffers offers;
    /** Set before the receiver is notified. */
    private volatile @Nullable RdmaRpcException failure;

    private volatile boolean completed;
    private volatile boolean over;
    private boolean abandoned;
    private boolean failed;
    private boolean stopping;
    private boolean acknowledging;
    private boolean probing;
    private boolean begun;
    /** Number of ring entries that the stream holds in addition to those of its credits. */
    private int uncounted;

    public EngineStream(
            Streams streams,
            EngineContext context,
            EngineSession session,
            int id,
            int credits,
            long deadlineNanos,
            StreamReceiver receiver) {
        this.streams = streams;
        this.context = context;
        this.session = session;
        this.id = id;
        this.listener = new StreamListener(receiver, context);
        this.deadlineNanos = deadlineNanos;
        this.sender = streams.senderOf(this);
        this.inbox = streams.inboxOf(this, credits);
        this.offers = new StreamOffers(this, context, sender);
    }

    @Override
    public int id() {
        return id;
    }

    EngineSession session() {
        return session;
    }

    @Override
    public boolean isOver() {
        return over;
    }

    /**
     * Returns the number of ring entries that the stream holds. For tests, which check that all are returned. Engine
     * thread.
     */
    public int ringEntries() {
        return inbox.held() + uncounted;
    }

    /** Returns whether the stream rejects messages. Thread-safe. */
    public boolean isFailed() {
        return failure != null;
    }

    int toPeer(int type) {
        return session.isClient() ? type : type | PacketType.TO_CLIENT;
    }

    // Thread-safe.

    @Override
    public MessageBuffer allocate(int capacityBytes) {
        return session.allocate(capacityBytes);
    }

    @Override
    public int maxPacketPayload() {
        return session.maxPacketPayload();
    }

    @Override
    public int maxMessageBytes() {
        return session.maxMessageBytes();
    }

    @Override
    public boolean offer(MessageBuffer message) {
        if (completed) {
            throw new IllegalStateException("this end of the stream was already completed");
        }
        RdmaRpcException why = failure;
        if (why != null) {
            throw why;
        }
        session.checkLength(message.messageBytes());
        return offers.offer(message);
    }

    @Override
    public void complete() {
        completed = true;
        context.submit(now -> {
            sender.end(RpcStatus.OK, NOTHING, now);
            checkOver();
        });
    }

    @Override
    public void fail(RpcStatus status, String remoteType, String message, RdmaErrorDetails details) {
        completed = true;
        RpcStatus how = status == RpcStatus.OK ? RpcStatus.INTERNAL : status;
        FailureText text = FailureText.of(remoteType, message, details, session.maxDetailedFailureBytes());
        context.submit(now -> end(how, text, new RdmaRpcException(how, message), now));
    }

    @Override
    public void cancel() {
        RdmaRpcException reason = new RdmaRpcException(RpcStatus.CANCELLED, "the stream was cancelled on this side");
        context.submit(
                now -> end(RpcStatus.CANCELLED, new FailureText("", "the peer has cancelled the stream"), reason, now));
    }

    @Override
    public void request(int messages) {
        if (messages <= 0) {
            throw new IllegalArgumentException("a receiver must grant at least 1 credit, not " + messages);
        }
        context.submit(now -> {
            inbox.grant(messages);
            acknowledge();
        });
    }

    // Engine thread.

    /** Begins the stream at the engine and arms its timer. Returns the initial credits of the peer. */
    int begin() {
        if (over) {
            return 0;
        }
        begun = true;
        streams.began();
        uncounted = streams.credits().take(UNCOUNTED);
        inbox.raise();
        context.timers().armBy(timer, deadlineNanos);
        return (int) inbox.creditLimit();
    }

    /** Sets the credits that the peer has granted at the opening. */
    void opened(int credits, long nowNanos) {
        if (!over) {
            sender.open(credits, nowNanos);
        }
    }

    /** Arms the timer again, because work may be due earlier than before. */
    void rearmTimer() {
        if (!over && sender.isWaiting()) {
            context.timers().armBy(timer, sender.dueNanos());
        }
    }

    /**
     * Ends the stream because a message that it accepted cannot be sent. If the session has ended, the peer already
     * knows.
     */
    public void lost(RdmaRpcException reason) {
        if (over) {
            return;
        }
        abandon(reason);
        if (session.isOpen()) {
            streams.sendGone(session, id);
        }
    }

    /** Fails both halves, and notifies the peer and the receiver. */
    private void end(RpcStatus status, FailureText text, RdmaRpcException reason, long nowNanos) {
        if (failed || over) {
            return;
        }
        failed = true;
        failure = reason;
        // This half has already sent its end and cannot send a second one. An acknowledgment therefore requests the
        // peer to stop.
        stopping = sender.hasEnded();
        sender.end(status, text, nowNanos);
        inbox.discard();
        acknowledge();
        listener.onFailure(reason);
        rearmTimer();
        checkOver();
    }

    /** Handles the end of the peer's half. */
    void onPeerEnd(RpcStatus status, FailureText text) {
        if (status != RpcStatus.OK) {
            RdmaRpcException reason = StreamFailures.of(session.info().peer(), status, text);
            end(
                    RpcStatus.CANCELLED,
                    new FailureText("", "the stream has failed"),
                    reason,
                    context.clock().nanoTime());
        } else if (!failed) {
            listener.onEnd();
        }
        checkOver();
    }

    void deliverItem(InboundMessage message) {
        if (failed) {
            message.close();
        } else {
            listener.onItem(message);
        }
    }

    void notifyWritable() {
        if (!failed) {
            listener.onWritable();
        }
    }

    boolean onItem(ReceivedHeader packet) {
        boolean passedOn = inbox.onItem(packet);
        acknowledge();
        return passedOn;
    }

    /** Handles an acknowledgment; returns false if it is invalid. */
    boolean onAcknowledgment(ReceivedHeader packet, long limit, long nowNanos) {
        if ((packet.flags & PacketHeader.FLAG_STREAM_PROBE) != 0) {
            acknowledge();
        }
        if ((packet.flags & PacketHeader.FLAG_STREAM_GONE) != 0) {
            abandon(new RdmaRpcException(RpcStatus.CANCELLED, session.info().peer() + " no longer knows the stream"));
            return true;
        }
        if ((packet.flags & PacketHeader.FLAG_STREAM_STOP) != 0 && !failed) {
            String text = session.info().peer() + " has stopped the stream";
            end(RpcStatus.CANCELLED, NOTHING, new RdmaRpcException(RpcStatus.CANCELLED, text), nowNanos);
        }
        boolean valid = sender.onAcknowledged(packet.requestIndex, limit, nowNanos);
        checkOver();
        return valid;
    }

    /** Schedules an acknowledgment for the end of this duty cycle. */
    void acknowledge() {
        if (!acknowledging) {
            acknowledging = true;
            streams.acknowledgeLater(this);
        }
    }

    /**
     * Returns whether this side has failed and the peer's half has not ended yet. The stream then probes, because the
     * peer's notification that it no longer knows the stream may have been lost.
     */
    boolean awaitsPeersEnd() {
        return failed && !inbox.isDone();
    }

    /** Returns whether this side has requested the peer to stop, and the peer's half has not ended yet. */
    boolean isStopping() {
        return stopping && !inbox.isDone();
    }

    void progressed() {
        acknowledge();
        checkOver();
    }

    void probe() {
        probing = true;
        acknowledge();
    }

    /** Sends an acknowledgment; returns false if there is no memory for it now. */
    boolean sendAcknowledgment() {
        int flags = (probing ? PacketHeader.FLAG_STREAM_PROBE : 0) | (isStopping() ? PacketHeader.FLAG_STREAM_STOP : 0);
        if (!streams.sendAcknowledgment(
                session, toPeer(PacketType.STREAM_ACK), flags, id, inbox.next(), inbox.creditLimit())) {
            return false;
        }
        acknowledging = false;
        probing = false;
        return true;
    }

    /** Handles the timer: retransmission, and the deadline. */
    void watch(long nowNanos) {
        if (!failed && nowNanos - deadlineNanos >= 0) {
            String text = "the deadline of the stream has passed";
            end(
                    RpcStatus.DEADLINE_EXCEEDED,
                    new FailureText("", text),
                    new RdmaTimeoutException(text + ": use a longer timeout, or end the stream earlier"),
                    nowNanos);
        }
        sender.watch(nowNanos);
        rearmTimer();
        if (!over && !failed) {
            context.timers().armBy(timer, deadlineNanos);
        }
    }

    void onNoResponse(int sends) {
        session.terminate("no response after " + sends + " sends of messages of one stream");
    }

    /** Ends the stream because its session has ended, the peer no longer knows it, or it was never opened. */
    void abandon(RdmaRpcException reason) {
        if (over) {
            return;
        }
        boolean known = failed || haveBothHalvesEnded();
        abandoned = true;
        failed = true;
        failure = reason;
        sender.freeAll();
        inbox.discard();
        inbox.close();
        finish();
        if (!known) {
            listener.onFailure(reason);
        }
    }

    /** Returns whether both halves have ended, so that only the peer's last acknowledgment is missing. */
    private boolean haveBothHalvesEnded() {
        return inbox.isDone() && sender.hasEnded();
    }

    /** Ends the stream with its session. */
    void sessionEnded() {
        abandon(session.unavailable(null));
    }

    /** Ends the stream because the client has reused its slot. */
    void onSlotReused() {
        abandon(new RdmaRpcException(RpcStatus.CANCELLED, session.info().peer() + " has abandoned the stream"));
    }

    /** Returns whether the stream ended early, so that the peer has to be notified when it sends. */
    boolean isAbandoned() {
        return abandoned;
    }

    private void checkOver() {
        if (!over && sender.isDone() && inbox.isDone()) {
            finish();
        }
    }

    private void finish() {
        over = true;
        context.timers().cancel(timer);
        streams.credits().giveBack(uncounted);
        uncounted = 0;
        if (begun) {
            begun = false;
            streams.ended();
        }
    }
}
