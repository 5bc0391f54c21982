package io.rdmarpc.rpc.engine.client;

import io.rdmarpc.rpc.engine.context.EngineContext;
import io.rdmarpc.rpc.engine.context.EngineCounters;
import io.rdmarpc.rpc.engine.context.EngineCounters.Counter;
import io.rdmarpc.rpc.engine.context.EngineCounters.Drop;
import io.rdmarpc.rpc.engine.context.Expect;
import io.rdmarpc.rpc.engine.packet.ReceiveRingLedger;
import io.rdmarpc.rpc.engine.packet.ReceivedHeader;
import io.rdmarpc.rpc.engine.session.LargeRead;
import io.rdmarpc.rpc.engine.transfer.LargeTransfers;
import io.rdmarpc.rpc.error.RdmaBackpressureException;
import io.rdmarpc.rpc.error.RdmaContractException;
import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.rpc.error.RdmaNotExecutedException;
import io.rdmarpc.rpc.error.RdmaOverloadedException;
import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.wire.FailureText;
import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.rpc.wire.PacketType;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/** Client, way back: answers find their slot and end its call. Engine thread only. */
public final class ClientResponses {

    private final EngineContext context;
    private final ReceiveRingLedger ring;
    private final ClientRequests requests;
    private final LargeTransfers transfers;
    private final EngineCounters counters;

    public ClientResponses(
            EngineContext context, ClientRequests requests, LargeTransfers transfers, ReceiveRingLedger ring) {
        this.context = context;
        this.ring = ring;
        this.requests = requests;
        this.transfers = transfers;
        this.counters = context.counters();
    }

    /** Takes a packet that the dispatcher has checked; true when the ring entry was passed on to a reader. */
    public boolean onPacket(ClientSession session, ReceivedHeader packet, long nowNanos) {
        requests.deferred().complete();
        boolean mayStartMore = session.credits.onWord(packet.methodId);
        boolean passedOn = take(session, packet, nowNanos);
        if (mayStartMore) {
            requests.startWaiting(session, nowNanos);
        }
        return passedOn;
    }

    private boolean take(ClientSession session, ReceivedHeader packet, long nowNanos) {
        ClientSlot slot = session.slotOf(packet.requestIndex);
        boolean current = slot.requestIndex == packet.requestIndex;
        if (!current || slot.is(ClientSlot.State.FREE) || slot.is(ClientSlot.State.READING)) {
            onStale(session, slot, packet, current);
            return false;
        }
        if (packet.type == PacketType.RESPONSE
                && packet.status == RpcStatus.OK.code()
                && requests.deferred().canDefer(session, slot)) {
            onAwaited(session, slot, packet, nowNanos);
            return true;
        }
        if (packet.type != PacketType.PROGRESS) {
            requests.measure(session, slot, packet.methodId, nowNanos);
        }
        return switch (packet.type) {
            case PacketType.RESPONSE -> onResponse(session, slot, packet, nowNanos);
            case PacketType.LARGE_RESPONSE -> onLargeResponse(session, slot, packet, nowNanos);
            default -> onProgress(session, slot, packet, nowNanos);
        };
    }

    /** Nobody waits for it any more. A large answer is let go, so that the server does not keep it for nothing. */
    private void onStale(ClientSession session, ClientSlot slot, ReceivedHeader packet, boolean current) {
        counters.drop(Drop.STALE);
        if (packet.type != PacketType.PROGRESS) {
            session.answeredTwice(packet.requestIndex);
        }
        boolean reading = current && slot.is(ClientSlot.State.READING);
        if (packet.type == PacketType.LARGE_RESPONSE && !reading) {
            requests.hints().release(session, packet.requestIndex);
        }
    }

    /** The caller continues with the ring entry; the rest of the completion is deferred until it has made its next call. */
    private void onAwaited(ClientSession session, ClientSlot slot, ReceivedHeader packet, long nowNanos) {
        Call call = Expect.present(slot.call);
        PreparedCall prepared = Expect.present(call.prepared());
        counters.increment(Counter.CALLS_COMPLETED);
        call.endUntold();
        requests.deferred().defer(session, slot, nowNanos);
        prepared.onPacket(packet);
    }

    private boolean onResponse(ClientSession session, ClientSlot slot, ReceivedHeader packet, long nowNanos) {
        Call call = Expect.present(slot.call);
        boolean waited = !call.hasEnded();
        if (waited) {
            counters.increment(Counter.CALLS_COMPLETED);
            if (packet.status == RpcStatus.OK.code()) {
                succeed(session, slot, call, packet, nowNanos);
                return true;
            }
            RdmaRpcException failure = failure(session, packet);
            if (failure instanceof RdmaNotExecutedException) {
                // First: its caller may call again at once.
                requests.endings().leave(session);
            }
            call.fail(failure);
        }
        requests.finish(session, slot, nowNanos);
        return false;
    }

    /** The ring entry passes to the caller. A prepared one is told last: its next call finds slot, credit and memory free. */
    private void succeed(ClientSession session, ClientSlot slot, Call call, ReceivedHeader packet, long nowNanos) {
        PreparedCall prepared = call.prepared();
        if (prepared == null) {
            call.succeed(ring.lend(packet.entry, packet.payloadAt, packet.payloadBytes));
            requests.finish(session, slot, nowNanos);
        } else {
            call.endUntold();
            requests.finish(session, slot, nowNanos);
            prepared.onPacket(packet);
        }
    }

    private RdmaRpcException failure(ClientSession session, ReceivedHeader packet) {
        MemorySegment text = ring.memory().asSlice(packet.payloadAt, packet.payloadBytes);
        FailureText failure = FailureText.read(text);
        RpcStatus status = RpcStatus.of(packet.status);
        String words = failure.message();
        String where = session.info().peer() + " answered: " + words;
        return switch (status) {
            case UNKNOWN_METHOD, CONTRACT_MISMATCH -> new RdmaContractException(where);
            case DEADLINE_EXCEEDED -> new RdmaTimeoutException(where);
            case OVERLOADED -> new RdmaOverloadedException(where, Duration.ofMillis(failure.retryAfterMillis()));
            case UNAVAILABLE -> unavailable(packet, failure, where);
            case BACKPRESSURE -> new RdmaBackpressureException(where);
            case MESSAGE_TOO_LARGE -> new RdmaMessageTooLargeException(where);
            default -> new RdmaRemoteException(status, failure.type(), words);
        };
    }

    private static RdmaRpcException unavailable(ReceivedHeader packet, FailureText failure, String where) {
        return (packet.flags & PacketHeader.FLAG_NOT_RUN) != 0
                ? new RdmaNotExecutedException(where)
                : new RdmaRemoteException(RpcStatus.UNAVAILABLE, failure.type(), failure.message());
    }

    private boolean onLargeResponse(ClientSession session, ClientSlot slot, ReceivedHeader packet, long nowNanos) {
        if (Expect.present(slot.call).hasEnded()) {
            requests.hints().release(session, packet.requestIndex);
            requests.finish(session, slot, nowNanos);
            return false;
        }
        slot.become(ClientSlot.State.READING);
        transfers.fetch(new ResponseRead(session, slot, packet));
        return false;
    }

    private boolean onProgress(ClientSession session, ClientSlot slot, ReceivedHeader packet, long nowNanos) {
        requests.onKnown(session, slot, nowNanos);
        boolean requestRead = (packet.flags & PacketHeader.FLAG_REQUEST_READ) != 0;
        if (slot.is(ClientSlot.State.ABANDONED) && requestRead) {
            requests.finish(session, slot, nowNanos);
        }
        return false;
    }

    /** The READ of a large answer. */
    private final class ResponseRead extends LargeRead {

        private final ClientSession client;
        private final ClientSlot slot;
        private final long requestIndex;

        ResponseRead(ClientSession client, ClientSlot slot, ReceivedHeader packet) {
            super(client, packet.length, packet.remoteAddress, packet.rkey, false);
            this.client = client;
            this.slot = slot;
            this.requestIndex = packet.requestIndex;
        }

        @Override
        public boolean isWanted(long nowNanos) {
            return !Expect.present(slot.call).hasEnded();
        }

        @Override
        public boolean admits() {
            boolean wanted = isWanted(context.clock().nanoTime());
            if (!wanted) {
                end();
            }
            return wanted;
        }

        @Override
        public void onFetched(InboundMessage message) {
            Call call = Expect.present(slot.call);
            if (!call.hasEnded()) {
                counters.increment(Counter.CALLS_COMPLETED);
            }
            call.succeed(message);
            end();
        }

        @Override
        public void onFailed(String reason, boolean sessionIsBroken) {
            Call call = Expect.present(slot.call);
            if (!call.hasEnded()) {
                counters.increment(Counter.CALLS_FAILED);
                call.fail(
                        sessionIsBroken
                                ? client.unavailable()
                                : new RdmaBackpressureException("the answer could not be fetched: " + reason));
            }
            end();
        }

        private void end() {
            if (client.isOpen()) {
                requests.hints().release(client, requestIndex);
            }
            requests.finish(client, slot, context.clock().nanoTime());
        }
    }
}
