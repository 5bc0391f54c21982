package io.rdmarpc.rpc.engine.stream;

import io.rdmarpc.rpc.RpcStream;
import io.rdmarpc.rpc.engine.context.EngineCounters;
import io.rdmarpc.rpc.engine.context.EngineCounters.Counter;
import io.rdmarpc.rpc.engine.context.EngineCounters.Drop;
import io.rdmarpc.rpc.engine.packet.CreditPool;
import io.rdmarpc.rpc.engine.packet.CreditWaiter;
import io.rdmarpc.rpc.engine.packet.ReceiveRingLedger;
import io.rdmarpc.rpc.engine.packet.ReceivedHeader;
import io.rdmarpc.rpc.engine.session.LargeRead;
import io.rdmarpc.rpc.engine.transfer.LargeTransfers;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.wire.FailureText;
import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.rpc.wire.PacketType;
import org.jspecify.annotations.Nullable;

/**
 * The receiving half of a stream end. It orders the messages that arrive, READs the large ones, and rejects duplicates
 * and messages beyond the credits it granted. Engine thread only.
 *
 * <pre>
 *   next                            credit limit
 *    |                                   |
 *    v                                   v
 *   [ - | message | READ running | ...   ]     by sequence modulo MAX_AHEAD; delivered from next on
 * </pre>
 */
final class StreamInbox implements CreditWaiter {

    /** The value for a message that was dropped. */
    private static final Object DROPPED = new Object();

    /** The end of the peer's half. */
    private record End(RpcStatus status, FailureText failure) {}

    private final EngineStream stream;
    private final ReceiveRingLedger ring;
    private final LargeTransfers transfers;
    private final EngineCounters counters;
    private final @Nullable Object[] arrived = new Object[EngineStream.MAX_AHEAD];
    private final CreditPool pool;
    private long next;
    private long creditLimit;
    /** Sequence number of the peer's end; later messages are invalid. */
    private long endsAt = Long.MAX_VALUE;
    /** The limit that the user has granted. {@link #creditLimit} reaches it if the receive ring has enough entries. */
    private long requestedLimit;
    /** Number of ring entries that are reserved for future messages. */
    private int held;

    private boolean queuedForCredit;
    private boolean discarding;
    private boolean done;
    private int reads;

    StreamInbox(
            EngineStream stream,
            ReceiveRingLedger ring,
            CreditPool pool,
            LargeTransfers transfers,
            EngineCounters counters,
            int credits) {
        this.stream = stream;
        this.ring = ring;
        this.transfers = transfers;
        this.counters = counters;
        this.pool = pool;
        this.requestedLimit = credits;
    }

    long next() {
        return next;
    }

    long creditLimit() {
        return creditLimit;
    }

    int held() {
        return held;
    }

    /** Raises the limit by credits of the user. */
    void grant(int credits) {
        requestedLimit = Math.max(requestedLimit, Math.min(requestedLimit + credits, next + RpcStream.MAX_CREDITS));
        raise();
    }

    /**
     * Grants the peer credits as far as there are ring entries for its messages. The rest follows after further
     * messages. A stream that holds no entry queues for one. The next acknowledgment carries the new limit.
     */
    void raise() {
        if (done || requestedLimit == creditLimit) {
            return;
        }
        if (!pool.hasWaiters()) {
            take();
        }
        if (held == 0) {
            pool.await(this);
        }
    }

    /** Takes ring entries; returns true if it got any. */
    private boolean take() {
        int allowed = Math.max(0, pool.maxForStream(held) - held);
        int got = pool.take((int) Math.min(allowed, requestedLimit - creditLimit));
        held += got;
        creditLimit += got;
        return got > 0;
    }

    @Override
    public boolean isQueuedForCredit() {
        return queuedForCredit;
    }

    @Override
    public void queuedForCredit(boolean queued) {
        queuedForCredit = queued;
    }

    @Override
    public void onCredit(long nowNanos) {
        if (!done && take()) {
            stream.acknowledge();
        }
    }

    /** Ends the reception and returns the ring entries. */
    void close() {
        done = true;
        pool.giveBack(held);
        held = 0;
    }

    /** Returns whether the end has arrived and no READ is in progress. */
    boolean isDone() {
        return done && reads == 0;
    }

    /** Handles a message or the end; returns true if the ring entry was passed on. */
    boolean onItem(ReceivedHeader packet) {
        long sequence = packet.requestIndex;
        boolean end = (packet.flags & PacketHeader.FLAG_STREAM_END) != 0;
        if (sequence < next) {
            counters.increment(Counter.DUPLICATES);
            return false;
        }
        if (done || isBeyond(sequence, end)) {
            counters.drop(Drop.STATE);
            return false;
        }
        int at = slot(sequence);
        if (arrived[at] != null) {
            counters.increment(Counter.DUPLICATES);
            return false;
        }
        boolean passedOn = take(packet, at, end);
        deliver();
        return passedOn;
    }

    /** Returns whether a packet violates the protocol: it exceeds the credits, follows the end, or is a second end. */
    private boolean isBeyond(long sequence, boolean end) {
        if (end) {
            return sequence > creditLimit || (endsAt != Long.MAX_VALUE && sequence != endsAt);
        }
        return sequence >= creditLimit || sequence > endsAt;
    }

    private static int slot(long sequence) {
        return (int) (sequence % EngineStream.MAX_AHEAD);
    }

    private boolean take(ReceivedHeader packet, int at, boolean end) {
        if (end) {
            arrived[at] = new End(
                    RpcStatus.of(packet.status),
                    FailureText.read(ring.memory().asSlice(packet.payloadAt, packet.payloadBytes)));
            endsAt = packet.requestIndex;
            dropBehindEnd();
            return false;
        }
        if (discarding) {
            arrived[at] = DROPPED;
            return false;
        }
        if (PacketType.isLarge(packet.type)) {
            ItemRead read = new ItemRead(packet, at);
            arrived[at] = read;
            reads++;
            transfers.fetch(read);
            return false;
        }
        arrived[at] = ring.lend(packet.entry, packet.payloadAt, packet.payloadBytes);
        return true;
    }

    /**
     * Drops messages after the end, which are never delivered, to free their ring entries. A READ in progress finds its
     * slot empty.
     */
    private void dropBehindEnd() {
        for (long sequence = endsAt + 1; sequence < creditLimit; sequence++) {
            int at = slot(sequence);
            Object behind = arrived[at];
            if (behind != null) {
                arrived[at] = null;
                counters.drop(Drop.STATE);
            }
            if (behind instanceof InboundMessage message) {
                message.close();
            }
        }
    }

    private void deliver() {
        while (!done) {
            int at = slot(next);
            Object first = arrived[at];
            if (first == null || first instanceof ItemRead) {
                return;
            }
            arrived[at] = null;
            next++;
            if (first instanceof End end) {
                close();
                stream.onPeerEnd(end.status(), end.failure());
                return;
            }
            held--;
            pool.giveBack(1);
            raise();
            if (first instanceof InboundMessage message) {
                stream.deliverItem(message);
            }
        }
    }

    /** Drops waiting messages, and from now on acknowledges messages without delivering them. */
    void discard() {
        discarding = true;
        for (int at = 0; at < arrived.length; at++) {
            if (arrived[at] instanceof InboundMessage message) {
                arrived[at] = DROPPED;
                message.close();
            }
        }
        // The peer may still send with the credits that it has, so all its messages are acknowledged.
        deliver();
    }

    /** The READ of a large message. */
    private final class ItemRead extends LargeRead {

        private final int at;

        ItemRead(ReceivedHeader packet, int at) {
            super(stream.session(), packet.length, packet.remoteAddress, packet.rkey, false);
            this.at = at;
        }

        @Override
        public void onFetched(InboundMessage message) {
            reads--;
            if (isExpected() && !discarding) {
                arrived[at] = message;
            } else {
                message.close();
                resolve(DROPPED);
            }
            deliver();
            stream.progressed();
        }

        /** Returns false if the peer's end has arrived and precedes this message. */
        @SuppressWarnings("ReferenceEquality") // identity of this READ
        private boolean isExpected() {
            return arrived[at] == this;
        }

        private void resolve(@Nullable Object outcome) {
            if (isExpected()) {
                arrived[at] = outcome;
            }
        }

        /** Treats the message as lost if there is no memory for it, so that the peer sends it again. */
        @Override
        public void onFailed(String reason, boolean sessionIsBroken) {
            reads--;
            resolve(discarding ? DROPPED : null);
            deliver();
            stream.progressed();
        }
    }
}
