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
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.wire.FailureText;
import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.rpc.wire.PacketType;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/** The client's inbound path: finds the slot of each response and ends its call. Engine thread only. */
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

    /** Handles a packet that the dispatcher has checked; returns true if the ring entry was passed to a reader. */
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

    /**
     * Handles a response that no call waits for. A large response is released, so that the server need not retain it.
     */
    private void onStale(ClientSession session, ClientSlot slot, ReceivedHeader packet, boolean current) {
        counters.drop(Drop.STALE);
        if (packet.type != PacketType.PROGRESS) {
            session.respondedTwice(packet.requestIndex);
        }
        boolean reading = current && slot.is(ClientSlot.State.READING);
        if (packet.type == PacketType.LARGE_RESPONSE && !reading) {
            requests.controlPackets().release(session, packet.requestIndex);
        }
    }

    /**
     * Passes the ring entry to the caller, which continues. The rest of the completion is deferred until the caller has
     * made its next call.
     */
    private void onAwaited(ClientSession session, ClientSlot slot, ReceivedHeader packet, long nowNanos) {
        Call call = Expect.present(slot.call);
        PreparedCall prepared = Expect.present(call.prepared());
        counters.increment(Counter.CALLS_COMPLETED);
        call.endSilently();
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
                // Marks the session first, because the caller may make its next call at once.
                requests.termination().onServerStopping(session);
            }
            call.fail(failure);
        }
        requests.finish(session, slot, nowNanos);
        return false;
    }

    /**
     * Passes the ring entry to the caller. A prepared call is notified last, so that its next call finds slot, credit
     * and memory free.
     */
    private void succeed(ClientSession session, ClientSlot slot, Call call, ReceivedHeader packet, long nowNanos) {
        PreparedCall prepared = call.prepared();
        if (prepared == null) {
            call.succeed(ring.lend(packet.entry, packet.payloadAt, packet.payloadBytes));
            requests.finish(session, slot, nowNanos);
        } else {
            call.endSilently();
            requests.finish(session, slot, nowNanos);
            prepared.onPacket(packet);
        }
    }

    private RdmaRpcException failure(ClientSession session, ReceivedHeader packet) {
        MemorySegment text = ring.memory().asSlice(packet.payloadAt, packet.payloadBytes);
        FailureText failure = FailureText.read(text);
        RdmaRpcException exception = exception(session, packet, failure);
        exception.initErrorDetails(failure.errorDetails());
        return exception;
    }

    private static RdmaRpcException exception(ClientSession session, ReceivedHeader packet, FailureText failure) {
        RpcStatus status = RpcStatus.of(packet.status);
        String message = failure.message();
        String where = session.info().peer() + " responded: " + message;
        return switch (status) {
            case UNKNOWN_METHOD, CONTRACT_MISMATCH -> new RdmaContractException(where);
            case DEADLINE_EXCEEDED -> new RdmaTimeoutException(where);
            case OVERLOADED -> new RdmaOverloadedException(where, Duration.ofMillis(failure.retryAfterMillis()));
            case UNAVAILABLE -> unavailable(packet, failure, where);
            case BACKPRESSURE -> new RdmaBackpressureException(where);
            case MESSAGE_TOO_LARGE -> new RdmaMessageTooLargeException(where);
            default -> new RdmaRemoteException(status, failure.type(), message);
        };
    }

    private static RdmaRpcException unavailable(ReceivedHeader packet, FailureText failure, String where) {
        return (packet.flags & PacketHeader.FLAG_NOT_RUN) != 0
                ? new RdmaNotExecutedException(where)
                : new RdmaRemoteException(RpcStatus.UNAVAILABLE, failure.type(), failure.message());
    }

    private boolean onLargeResponse(ClientSession session, ClientSlot slot, ReceivedHeader packet, long nowNanos) {
        if (Expect.present(slot.call).hasEnded()) {
            requests.controlPackets().release(session, packet.requestIndex);
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

    /** The READ of a large response. */
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
        public boolean isNeeded(long nowNanos) {
            return !Expect.present(slot.call).hasEnded();
        }

        @Override
        public boolean admits() {
            boolean needed = isNeeded(context.clock().nanoTime());
            if (!needed) {
                end();
            }
            return needed;
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
                                // Not backpressure, whose callers may retry because the method has not run.
                                : new RdmaUnavailableException(
                                        "the method has run, but the client cannot READ its response: " + reason));
            }
            end();
        }

        private void end() {
            if (client.isOpen()) {
                requests.controlPackets().release(client, requestIndex);
            }
            requests.finish(client, slot, context.clock().nanoTime());
        }
    }
}
