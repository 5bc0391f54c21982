package io.rdmarpc.rpc.engine;

import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.InboundMessage;
import io.rdmarpc.rpc.RpcStatus;
import io.rdmarpc.rpc.RpcStream;
import io.rdmarpc.rpc.engine.EngineCounters.Counter;
import io.rdmarpc.rpc.engine.EngineCounters.Drop;
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
final class StreamInbox {

    /** Takes the place of a message that nobody wants. */
    private static final Object DROPPED = new Object();

    /** The peer's last word. */
    private record End(RpcStatus status, FailureText failure) {}

    private final EngineStream stream;
    private final EventLoop loop;
    private final LargeTransfers transfers;
    private final EngineCounters counters;
    private final @Nullable Object[] arrived = new Object[EngineStream.MAX_AHEAD];
    private long next;
    private long creditLimit;
    private boolean discarding;
    private boolean done;
    private int reads;

    StreamInbox(EngineStream stream, EventLoop loop, LargeTransfers transfers, EngineCounters counters, int credits) {
        this.stream = stream;
        this.loop = loop;
        this.transfers = transfers;
        this.counters = counters;
        this.creditLimit = credits;
    }

    long next() {
        return next;
    }

    long creditLimit() {
        return creditLimit;
    }

    void grant(int credits) {
        creditLimit = Math.min(creditLimit + credits, next + RpcStream.MAX_CREDITS);
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
        if (done || sequence > creditLimit || (sequence == creditLimit && !end)) {
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

    private static int slot(long sequence) {
        return (int) (sequence % EngineStream.MAX_AHEAD);
    }

    private boolean take(ReceivedHeader packet, int at, boolean end) {
        if (end) {
            arrived[at] = new End(
                    RpcStatus.of(packet.status),
                    FailureText.read(loop.receiveRing().memory().asSlice(packet.payloadAt, packet.payloadBytes)));
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
        arrived[at] = loop.receiveRing().lend(loop, packet.entry, packet.payloadAt, packet.payloadBytes);
        return true;
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
                done = true;
                stream.onPeerEnd(end.status(), end.failure());
            } else if (first instanceof InboundMessage message) {
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
            super(stream.session(), packet.length, packet.remoteAddress, packet.rkey);
            this.at = at;
        }

        @Override
        void onFetched(RegisteredBlock block) {
            reads--;
            ReceivedBlock message = new ReceivedBlock(block, lengthBytes);
            if (discarding) {
                arrived[at] = DROPPED;
                message.close();
            } else {
                arrived[at] = message;
            }
            deliver();
            stream.progressed();
        }

        /** Without memory the message counts as lost: it comes again. */
        @Override
        void onFailed(String reason, boolean sessionIsBroken) {
            reads--;
            arrived[at] = discarding ? DROPPED : null;
            deliver();
            stream.progressed();
        }
    }
}
