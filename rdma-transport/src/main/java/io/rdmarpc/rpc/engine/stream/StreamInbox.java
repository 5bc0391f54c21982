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
 * The receiving half of a stream end: puts what arrives in order, fetches what is large, takes nothing twice and nothing
 * beyond the credits it gave. Engine thread only.
 *
 * <pre>
 *   next                            credit limit
 *    |                                   |
 *    v                                   v
 *   [ - | message | READ under way | ...   ]     by sequence modulo MAX_AHEAD; delivered from next on
 * </pre>
 */
final class StreamInbox implements CreditWaiter {

    /** Takes the place of a message that nobody wants. */
    private static final Object DROPPED = new Object();

    /** The peer's last word. */
    private record End(RpcStatus status, FailureText failure) {}

    private final EngineStream stream;
    private final ReceiveRingLedger ring;
    private final LargeTransfers transfers;
    private final EngineCounters counters;
    private final @Nullable Object[] arrived = new Object[EngineStream.MAX_AHEAD];
    private final CreditPool pool;
    private long next;
    private long creditLimit;
    /** Where the peer's last word is; nothing counts that it sends behind it. */
    private long endsAt = Long.MAX_VALUE;
    /** The limit its user wants; {@link #creditLimit} follows as far as the receive ring has entries. */
    private long wantedLimit;
    /** Entries of the receive ring that are set aside for messages to come. */
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
        this.wantedLimit = credits;
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

    /** The user takes so many more. */
    void grant(int credits) {
        wantedLimit = Math.max(wantedLimit, Math.min(wantedLimit + credits, next + RpcStream.MAX_CREDITS));
        raise();
    }

    /**
     * Gives the peer credits as far as there are ring entries for what it sends. The rest follows when something has come;
     * a stream that has none waits its turn. What it gives the next acknowledgement tells.
     */
    void raise() {
        if (done || wantedLimit == creditLimit) {
            return;
        }
        if (!pool.isWaitedFor()) {
            take();
        }
        if (held == 0) {
            pool.await(this);
        }
    }

    /** True when it got some. */
    private boolean take() {
        int allowed = Math.max(0, pool.mostForStream(held) - held);
        int got = pool.take((int) Math.min(allowed, wantedLimit - creditLimit));
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

    /** Nothing more will come. */
    void close() {
        done = true;
        pool.giveBack(held);
        held = 0;
    }

    /** The end has come, and no READ is under way. */
    boolean isDone() {
        return done && reads == 0;
    }

    /** A message or the end; true when the ring entry was passed on. */
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

    /** What no honest peer sends: more than it has credits for, something behind its end, another end. */
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

    /** Nobody would ever take it, and so its ring entries would be lost. A READ under way finds its place empty. */
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
                stream.tellItem(message);
            }
        }
    }

    /** Nobody wants messages any more: those that wait are dropped, those to come acknowledged. */
    void discard() {
        discarding = true;
        for (int at = 0; at < arrived.length; at++) {
            if (arrived[at] instanceof InboundMessage message) {
                arrived[at] = DROPPED;
                message.close();
            }
        }
        // The peer may use up what it was given, so that all of it is acknowledged.
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
            if (isWanted() && !discarding) {
                arrived[at] = message;
            } else {
                message.close();
                settle(DROPPED);
            }
            deliver();
            stream.progressed();
        }

        /** False once the peer's end has come before it. */
        @SuppressWarnings("ReferenceEquality") // this very one
        private boolean isWanted() {
            return arrived[at] == this;
        }

        private void settle(@Nullable Object outcome) {
            if (isWanted()) {
                arrived[at] = outcome;
            }
        }

        /** Without memory the message counts as lost: it comes again. */
        @Override
        public void onFailed(String reason, boolean sessionIsBroken) {
            reads--;
            settle(discarding ? DROPPED : null);
            deliver();
            stream.progressed();
        }
    }
}
