package io.rdmarpc.rpc.engine.stream;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.RpcStream;
import io.rdmarpc.rpc.StreamReceiver;
import io.rdmarpc.rpc.engine.context.EngineContext;
import io.rdmarpc.rpc.engine.packet.ReceivedHeader;
import io.rdmarpc.rpc.engine.session.EngineSession;
import io.rdmarpc.rpc.engine.session.SessionStream;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.wire.FailureText;
import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.rpc.wire.PacketType;
import org.jspecify.annotations.Nullable;

/**
 * One end of a stream: a sending and a receiving half. It is over when the peer has acknowledged its end and its own end
 * has come; a failure in either half ends both, so that every message is acknowledged and its memory free.
 *
 * <pre>
 *   OPENING (client) -> OPEN -> over
 *                       OPEN -> FAILED (told; drops what comes, waits for the last acknowledgement) -> over
 *                       any  -> over                                          the session has ended
 * </pre>
 */
public final class EngineStream extends SessionStream implements RpcStream {

    /** Sequence numbers that may be under way: the credits, the end, and room to tell late ones from new ones. */
    static final int MAX_AHEAD = 2 * MAX_CREDITS;

    /** Ring entries for acknowledgements and the end, which take no credit: one per turn, seldom two at a time. */
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
    /** Set before the receiver is told. */
    private volatile @Nullable RdmaRpcException failure;

    private volatile boolean completed;
    private volatile boolean over;
    private boolean abandoned;
    private boolean failed;
    private boolean stopping;
    private boolean acknowledging;
    private boolean probing;
    private boolean begun;
    /** Ring entries that it holds besides those of its credits. */
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

    /** Entries of the receive ring that are set aside for it, for tests: what was lent must come back. Engine thread. */
    public int ringEntries() {
        return inbox.held() + uncounted;
    }

    /** Tells whether messages are refused. Any thread. */
    public boolean isFailed() {
        return failure != null;
    }

    int toPeer(int type) {
        return session.isClient() ? type : type | PacketType.TO_CLIENT;
    }

    // Any thread.

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
            throw new IllegalStateException("this end of the stream was completed");
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
    public void fail(RpcStatus status, String remoteType, String message) {
        completed = true;
        RpcStatus how = status == RpcStatus.OK ? RpcStatus.INTERNAL : status;
        FailureText words = new FailureText(remoteType, message);
        context.submit(now -> end(how, words, new RdmaRpcException(how, message), now));
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
            throw new IllegalArgumentException("a receiver gives 1 credit or more, not " + messages);
        }
        context.submit(now -> {
            inbox.grant(messages);
            acknowledge();
        });
    }

    // Engine thread.

    /** The engine knows it: time looks after it. Returns how much the peer may send at first. */
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

    /** The peer has said how much it takes. */
    void opened(int credits, long nowNanos) {
        if (!over) {
            sender.open(credits, nowNanos);
        }
    }

    /** Something is due earlier than before, perhaps. */
    void lookAgain() {
        if (!over && sender.isWaiting()) {
            context.timers().armBy(timer, sender.dueNanos());
        }
    }

    /** A message that was taken over cannot be sent. The peer of a session that has ended knows by that. */
    public void lost(RdmaRpcException reason) {
        if (over) {
            return;
        }
        abandon(reason);
        if (session.isOpen()) {
            streams.sayGone(session, id);
        }
    }

    /** Fails both halves; the peer hears of it, and so does the receiver. */
    private void end(RpcStatus status, FailureText words, RdmaRpcException reason, long nowNanos) {
        if (failed || over) {
            return;
        }
        failed = true;
        failure = reason;
        // Behind an end there is no room for another one: an acknowledgement tells the peer to stop.
        stopping = sender.hasEnded();
        sender.end(status, words, nowNanos);
        inbox.discard();
        acknowledge();
        listener.onFailure(reason);
        lookAgain();
        checkOver();
    }

    /** The peer's half has ended. */
    void onPeerEnd(RpcStatus status, FailureText words) {
        if (status != RpcStatus.OK) {
            RdmaRpcException reason = StreamFailures.of(session.info().peer(), status, words);
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

    void tellItem(InboundMessage message) {
        if (failed) {
            message.close();
        } else {
            listener.onItem(message);
        }
    }

    void tellWritable() {
        if (!failed) {
            listener.onWritable();
        }
    }

    boolean onItem(ReceivedHeader packet) {
        boolean passedOn = inbox.onItem(packet);
        acknowledge();
        return passedOn;
    }

    /** True when it makes sense. */
    boolean onAcknowledgement(ReceivedHeader packet, long limit, long nowNanos) {
        if ((packet.flags & PacketHeader.FLAG_STREAM_PROBE) != 0) {
            acknowledge();
        }
        if ((packet.flags & PacketHeader.FLAG_STREAM_GONE) != 0) {
            abandon(new RdmaRpcException(
                    RpcStatus.CANCELLED, session.info().peer() + " does not know the stream any more"));
            return true;
        }
        if ((packet.flags & PacketHeader.FLAG_STREAM_STOP) != 0 && !failed) {
            String words = session.info().peer() + " does not want the stream any more";
            end(RpcStatus.CANCELLED, NOTHING, new RdmaRpcException(RpcStatus.CANCELLED, words), nowNanos);
        }
        boolean sound = sender.onAcknowledged(packet.requestIndex, limit, nowNanos);
        checkOver();
        return sound;
    }

    /** Says at the end of this turn how far it is. */
    void acknowledge() {
        if (!acknowledging) {
            acknowledging = true;
            streams.acknowledgeLater(this);
        }
    }

    /** This end has failed, the peer's has not ended yet: that it does not know the stream any more may have been lost. */
    boolean awaitsPeersEnd() {
        return failed && !inbox.isDone();
    }

    /** The peer has been told to stop and has not ended yet. */
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

    /** False when there is no memory for it now. */
    boolean sendAcknowledgement() {
        int flags = (probing ? PacketHeader.FLAG_STREAM_PROBE : 0) | (isStopping() ? PacketHeader.FLAG_STREAM_STOP : 0);
        if (!streams.sendAcknowledgement(
                session, toPeer(PacketType.STREAM_ACK), flags, id, inbox.next(), inbox.creditLimit())) {
            return false;
        }
        acknowledging = false;
        probing = false;
        return true;
    }

    /** Time passes: retransmission, and the deadline. */
    void watch(long nowNanos) {
        if (!failed && nowNanos - deadlineNanos >= 0) {
            String words = "the time of the stream was over";
            end(
                    RpcStatus.DEADLINE_EXCEEDED,
                    new FailureText("", words),
                    new RdmaTimeoutException(words + ": allow more, or end it earlier"),
                    nowNanos);
        }
        sender.watch(nowNanos);
        lookAgain();
        if (!over && !failed) {
            context.timers().armBy(timer, deadlineNanos);
        }
    }

    void giveUp(int sends) {
        session.breakOff("no sign of life after " + sends + " sends of messages of one stream");
    }

    /** The session has ended, the peer has forgotten the stream, or it was never opened. */
    void abandon(RdmaRpcException reason) {
        if (over) {
            return;
        }
        boolean known = failed || hasRunItsCourse();
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

    /** Both halves have ended; only the peer's last acknowledgement is missing. */
    private boolean hasRunItsCourse() {
        return inbox.isDone() && sender.hasEnded();
    }

    /** The session has ended. */
    void sessionEnded() {
        abandon(session.unavailable(null));
    }

    /** The client has reused the stream's slot. */
    void forgotten() {
        abandon(new RdmaRpcException(RpcStatus.CANCELLED, session.info().peer() + " has given the stream up"));
    }

    /** Over before its time: the peer is to hear that nobody knows it any more. */
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
