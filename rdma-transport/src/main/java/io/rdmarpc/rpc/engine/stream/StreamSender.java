package io.rdmarpc.rpc.engine.stream;

import io.rdmarpc.events.RetransmissionEvent;
import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.engine.context.EngineCounters;
import io.rdmarpc.rpc.engine.context.EngineCounters.Counter;
import io.rdmarpc.rpc.engine.packet.OutgoingPacket;
import io.rdmarpc.rpc.engine.packet.Transmitter;
import io.rdmarpc.rpc.engine.session.EngineSession;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.wire.FailureText;
import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.rpc.wire.PacketType;
import io.rdmarpc.rpc.wire.ReadDescriptor;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of a stream end. It keeps each item until the receiver has acknowledged it. If no acknowledgment
 * arrives in time, it sends all remaining items again. Any thread may take credits; all other state belongs to the
 * engine thread.
 *
 * <pre>
 *        acknowledged          next           credit limit
 *             |                 |                  |
 *   done      | sent, kept      | may be sent      |
 *   ----------+-----------------+------------------+---------&gt; sequence     the end uses no credit
 * </pre>
 */
final class StreamSender {

    private final EngineStream stream;
    private final Transmitter transmitter;
    private final EngineCounters counters;
    private final int retransmitLimit;
    private final ArrayDeque<StreamItem> unacknowledged = new ArrayDeque<>();
    private final AtomicLong taken = new AtomicLong();
    private final AtomicBoolean creditRequested = new AtomicBoolean();
    private volatile long creditLimit;
    private long next;
    /** The timeout that expired last, until an item that was sent once is acknowledged (Karn's algorithm). */
    private long leastTimeoutNanos;

    private long timeoutNanos;
    private long retransmitNanos;
    private int sends;
    private boolean opened;
    private boolean ended;

    StreamSender(EngineStream stream, Transmitter transmitter, EngineCounters counters, int retransmitLimit) {
        this.stream = stream;
        this.transmitter = transmitter;
        this.counters = counters;
        this.retransmitLimit = retransmitLimit;
    }

    /** Takes a credit. Thread-safe. */
    boolean tryTakeCredit() {
        long used = taken.get();
        while (used < creditLimit) {
            if (taken.compareAndSet(used, used + 1)) {
                return true;
            }
            used = taken.get();
        }
        return false;
    }

    /** Returns a credit that was taken but not used. Thread-safe. */
    void returnCredit() {
        taken.decrementAndGet();
    }

    /** Requests a notification for the next credit. Returns true if there was no such request. Thread-safe. */
    boolean requestCredit() {
        return creditRequested.compareAndSet(false, true);
    }

    void append(StreamItem item, long nowNanos) {
        if (ended) {
            free(item);
            return;
        }
        ended = item.isEnd();
        boolean first = unacknowledged.isEmpty();
        item.sequence = next++;
        item.sentNanos = nowNanos;
        unacknowledged.addLast(item);
        if (first) {
            restart(nowNanos);
        }
        transmit(item);
    }

    /** Ends this half if it has not ended. The receiver acknowledges the end as well. */
    void end(RpcStatus status, FailureText failure, long nowNanos) {
        append(StreamItem.end(status, failure), nowNanos);
    }

    boolean hasEnded() {
        return ended;
    }

    boolean isDone() {
        return ended && unacknowledged.isEmpty();
    }

    /** Returns whether a timer is needed, which is due at {@link #dueNanos}. */
    boolean isWaiting() {
        return opened && (!unacknowledged.isEmpty() || creditRequested.get() || stream.awaitsPeersEnd());
    }

    long dueNanos() {
        return retransmitNanos;
    }

    private void restart(long nowNanos) {
        sends = 0;
        timeoutNanos = Math.max(leastTimeoutNanos, stream.session().times().timeoutNanos());
        retransmitNanos = nowNanos + timeoutNanos;
        stream.rearmTimer();
    }

    /** Sends the items that waited for the peer's acceptance of the stream, and sets the first credits. */
    void open(int credits, long nowNanos) {
        opened = true;
        restart(nowNanos);
        for (StreamItem item : unacknowledged) {
            item.sentNanos = nowNanos;
            transmit(item);
        }
        raise(credits);
    }

    /** Arms the timer for a user that waits for credit, because the packet with the credit may be lost. */
    void startWaiting(long nowNanos) {
        if (unacknowledged.isEmpty()) {
            restart(nowNanos);
        }
    }

    /** Handles an acknowledgment: the receiver has all items below a sequence number, and allows all below a limit. */
    boolean onAcknowledged(long received, long limit, long nowNanos) {
        if (received > next || received < 0) {
            return false;
        }
        sends = 0;
        if (free(received, nowNanos)) {
            restart(nowNanos);
        }
        raise(limit);
        return true;
    }

    /** Frees the items that have arrived; returns true if there were any. */
    private boolean free(long received, long nowNanos) {
        boolean measures = true;
        StreamItem last = null;
        while (!unacknowledged.isEmpty() && unacknowledged.getFirst().sequence < received) {
            last = unacknowledged.removeFirst();
            // An item that waited for a retransmission or a READ does not measure the path.
            measures &= !last.retransmitted && stream.session().fitsPacket(last.length);
            free(last);
        }
        if (last != null && measures) {
            leastTimeoutNanos = 0;
            stream.session().times().measured(nowNanos - last.sentNanos);
        }
        return last != null;
    }

    private void raise(long limit) {
        if (limit > creditLimit && limit <= next + EngineStream.MAX_AHEAD) {
            creditLimit = limit;
        }
        if (taken.get() < creditLimit && creditRequested.getAndSet(false)) {
            stream.notifyWritable();
        }
    }

    void watch(long nowNanos) {
        if (!isWaiting() || nowNanos - retransmitNanos < 0) {
            return;
        }
        retransmitNanos = nowNanos + timeoutNanos;
        if (isWaitingForMemory()) {
            return;
        }
        if (sends++ >= retransmitLimit) {
            stream.onNoResponse(sends);
            return;
        }
        long passedNanos = timeoutNanos;
        timeoutNanos = stream.session().times().bounded(2 * timeoutNanos);
        retransmitNanos = nowNanos + timeoutNanos;
        if (unacknowledged.isEmpty()) {
            stream.probe();
            return;
        }
        leastTimeoutNanos = timeoutNanos;
        for (StreamItem item : unacknowledged) {
            counters.increment(Counter.RETRANSMISSIONS);
            RetransmissionEvent.ofElement(
                    stream.session().info().peer(), sends, nowNanos - item.sentNanos, passedNanos);
            item.retransmitted = true;
            transmit(item);
        }
    }

    /**
     * Returns whether the item that the receiver expects next is still waiting for memory here, so that no
     * acknowledgment can arrive.
     */
    private boolean isWaitingForMemory() {
        StreamItem first = unacknowledged.peekFirst();
        return first != null && !first.isReady();
    }

    private void transmit(StreamItem item) {
        if (!opened || !item.isReady()) {
            return;
        }
        OutgoingPacket packet = item.packet;
        if (packet == null) {
            packet = packetOf(item);
            item.packet = packet;
        }
        if (packet != null && !transmitter.isAtNic(packet)) {
            transmitter.send(packet);
        }
    }

    private @Nullable OutgoingPacket packetOf(StreamItem item) {
        RegisteredBlock message = item.block;
        EngineSession session = stream.session();
        if (message != null && session.fitsPacket(item.length)) {
            int at = message.payloadOffset() - PacketHeader.BYTES;
            writeHeader(message, at, PacketType.STREAM_ITEM, item, item.length);
            return transmitter.acquire(session.path, message, at, PacketHeader.BYTES + item.length);
        }
        RegisteredBlock control = transmitter.tryTakeBlock();
        if (control == null) {
            return null;
        }
        return message == null ? endPacket(control, item) : largePacket(control, message, item);
    }

    private OutgoingPacket largePacket(RegisteredBlock control, RegisteredBlock message, StreamItem item) {
        writeHeader(control, 0, PacketType.STREAM_LARGE_ITEM, item, item.length);
        ReadDescriptor.write(
                control.memory(), PacketHeader.BYTES, message.address() + message.payloadOffset(), message.rkey());
        return transmitter.acquire(
                stream.session().path, control, 0, EngineSession.largePacketBytes(PacketHeader.BYTES));
    }

    private OutgoingPacket endPacket(RegisteredBlock control, StreamItem item) {
        int length = item.status == RpcStatus.OK
                ? 0
                : item.failure.write(control.memory()
                        .asSlice(PacketHeader.BYTES, stream.session().maxPacketPayload()));
        writeHeader(control, 0, PacketType.STREAM_ITEM, item, length);
        return transmitter.acquire(stream.session().path, control, 0, PacketHeader.BYTES + length);
    }

    private void writeHeader(RegisteredBlock block, long at, int type, StreamItem item, int length) {
        EngineSession session = stream.session();
        PacketHeader.write(
                block.memory(),
                at,
                stream.toPeer(type),
                item.status.code(),
                item.isEnd() ? PacketHeader.FLAG_STREAM_END : 0,
                session.peerId,
                session.cookie,
                item.sequence,
                stream.id(),
                length);
    }

    /** Sends an item that was appended before and is now in registered memory. Its timeout starts now. */
    void onMoved(StreamItem item, RegisteredBlock block, long nowNanos) {
        if (item.freed) {
            block.free();
            return;
        }
        boolean waited = isWaitingForMemory();
        item.block = block;
        item.sentNanos = nowNanos;
        if (waited && !isWaitingForMemory()) {
            restart(nowNanos);
        }
        transmit(item);
    }

    /** Frees an item. A small message is part of its packet's memory; a large one is lent separately. */
    private void free(StreamItem item) {
        item.freed = true;
        OutgoingPacket packet = item.packet;
        RegisteredBlock message = item.block;
        boolean inPacket = packet != null && stream.session().fitsPacket(item.length);
        if (packet != null) {
            transmitter.release(packet);
            item.packet = null;
        }
        if (message != null && !inPacket) {
            message.free();
        }
    }

    /** Frees all items of a stream that is over, because no acknowledgment follows. */
    void freeAll() {
        ended = true;
        creditRequested.set(false);
        while (!unacknowledged.isEmpty()) {
            free(unacknowledged.removeFirst());
        }
    }
}
