package io.rdmarpc.rpc.engine.server;

import io.rdmarpc.rpc.BytesHandler;
import io.rdmarpc.rpc.GuardedHandler;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.engine.context.EngineContext;
import io.rdmarpc.rpc.engine.context.EngineCounters;
import io.rdmarpc.rpc.engine.context.EngineCounters.Counter;
import io.rdmarpc.rpc.engine.context.EngineCounters.Drop;
import io.rdmarpc.rpc.engine.packet.CopiedMessage;
import io.rdmarpc.rpc.engine.packet.ReceiveRingLedger;
import io.rdmarpc.rpc.engine.packet.ReceivedHeader;
import io.rdmarpc.rpc.engine.session.LargeRead;
import io.rdmarpc.rpc.engine.transfer.LargeTransfers;
import io.rdmarpc.rpc.engine.transfer.LoadShedding;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.rpc.wire.PacketType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * The server's inbound path: runs each new call once, and resends the slot's response for a retransmitted request.
 * Engine thread only.
 */
public final class ServerRequests {

    private static final long NANOS_PER_MICRO = TimeUnit.MICROSECONDS.toNanos(1);
    /** Maximum of a remaining time, to avoid an overflow. */
    private static final long MAX_MICROS = Long.MAX_VALUE / 4 / NANOS_PER_MICRO;

    private static final String TOO_LATE = "the deadline had passed when the request arrived; the call has not run";
    private static final InboundMessage NOT_READ = new CopiedMessage(MemorySegment.NULL);
    private static final String STOPPING = "the server is stopping; the call has not run";

    private final EngineContext context;
    private final ServerParts parts;
    private final ReceiveRingLedger ring;
    private final MethodTable methods;
    private final ServerResponses responses;
    private final LargeTransfers transfers;
    private final LoadShedding shedding;
    private final EngineCounters counters;
    private final InlineCall inlineCall;
    private final ArrayDeque<CreditUpdate> creditUpdates = new ArrayDeque<>();

    public ServerRequests(ServerParts parts, MethodTable methods, LargeTransfers transfers) {
        this.parts = parts;
        this.context = parts.context();
        this.methods = methods;
        this.responses = parts.responses();
        this.transfers = transfers;
        this.shedding = parts.shedding();
        this.counters = context.counters();
        this.ring = parts.ring();
        this.inlineCall = new InlineCall(parts);
    }

    /** Handles a packet that the dispatcher has checked; returns true if the ring entry was passed to a reader. */
    public boolean onPacket(ServerSession session, ReceivedHeader packet, long nowNanos) {
        if ((packet.flags & PacketHeader.FLAG_RETURN_CREDITS) != 0) {
            onReturn(session, packet);
        }
        if (packet.requestIndex < session.slots.length) {
            counters.drop(Drop.STALE);
            return false;
        }
        ServerSlot slot = session.slotOf(packet.requestIndex);
        if (packet.requestIndex < slot.requestIndex) {
            counters.drop(Drop.STALE);
            return false;
        }
        if (packet.requestIndex == slot.requestIndex) {
            onRepeated(session, slot, packet);
            return false;
        }
        if (packet.type == PacketType.RELEASE || slot.is(ServerSlot.State.READING)) {
            counters.drop(Drop.STATE);
            return false;
        }
        if (packet.type == PacketType.CANCEL) {
            onCancelledBefore(slot, packet);
            return false;
        }
        session.credits.onRequest(packet.status);
        boolean updatesCredits = (packet.flags & PacketHeader.FLAG_MORE_CREDITS) != 0 && session.credits.raise();
        boolean passedOn = onNew(session, slot, packet, nowNanos);
        if (updatesCredits) {
            creditUpdates.addLast(new CreditUpdate(session, slot, packet.requestIndex));
        }
        return passedOn;
    }

    /** A pending credit update. The response of a call carries it, unless the call takes long. */
    private record CreditUpdate(ServerSession session, ServerSlot slot, long requestIndex) {

        boolean isPending() {
            boolean unfinished = slot.is(ServerSlot.State.EXECUTING) || slot.is(ServerSlot.State.READING);
            return unfinished && slot.requestIndex == requestIndex && session.isOpen();
        }
    }

    /**
     * Sends the credit updates of the previous duty cycle whose calls have no response yet. The client can then use the
     * credits before those responses.
     */
    public int sendPendingCreditUpdates() {
        int handled = 0;
        while (!creditUpdates.isEmpty()) {
            CreditUpdate update = creditUpdates.removeFirst();
            if (update.isPending()) {
                boolean read = !update.slot.is(ServerSlot.State.READING);
                responses.sendProgress(update.session, update.requestIndex, read);
            }
            handled++;
        }
        return handled;
    }

    /**
     * Handles the return of credits by a client without calls, which keeps only the credit it owns. The server confirms
     * the return, so that the client need not repeat it.
     */
    private void onReturn(ServerSession session, ReceivedHeader packet) {
        session.credits.onReturn(packet.status);
        if (packet.type == PacketType.RELEASE) {
            responses.sendProgress(session, packet.requestIndex, true);
        }
    }

    private void onRepeated(ServerSession session, ServerSlot slot, ReceivedHeader packet) {
        if (packet.type == PacketType.RELEASE) {
            responses.release(slot);
            return;
        }
        if (packet.type == PacketType.CANCEL) {
            if (slot.is(ServerSlot.State.EXECUTING) && !slot.cancelled) {
                counters.increment(Counter.REQUESTS_CANCELLED);
            }
            slot.cancelled = true;
            responses.release(slot);
            return;
        }
        counters.increment(Counter.DUPLICATES);
        switch (slot.state()) {
            case RESPONDED -> responses.resend(session, slot);
            case READING -> responses.sendProgress(session, slot.requestIndex, false);
            // RELEASED: the caller has timed out or cancelled. Its client needs to know whether the large request was
            // READ, because only then it may free the memory.
            case EXECUTING, RELEASED -> responses.sendProgress(session, slot.requestIndex, true);
            case IDLE -> counters.drop(Drop.STALE);
        }
    }

    /**
     * Handles a cancellation that has overtaken its request. If the request arrives, it counts as retransmitted and
     * does not run.
     */
    private void onCancelledBefore(ServerSlot slot, ReceivedHeader packet) {
        responses.release(slot);
        slot.requestIndex = packet.requestIndex;
        slot.become(ServerSlot.State.RELEASED);
    }

    private boolean onNew(ServerSession session, ServerSlot slot, ReceivedHeader packet, long nowNanos) {
        counters.increment(Counter.REQUESTS_RECEIVED);
        responses.release(slot);
        slot.requestIndex = packet.requestIndex;
        slot.completeNanos = nowNanos;
        slot.cancelled = false;
        slot.become(ServerSlot.State.EXECUTING);
        if (session.rejectsNew(packet.requestIndex)) {
            responses.rejectStopping(session, slot, STOPPING);
            return false;
        }
        ServiceExport.Method method = methods.find(packet.methodId);
        if (method == null) {
            responses.reject(session, slot, RpcStatus.UNKNOWN_METHOD, unknownMethod(session, packet.methodId));
            return false;
        }
        if (method.handler() instanceof GuardedHandler guard
                && !guard.admits(session.info().identity())) {
            return rejectUnadmitted(guard, session, slot, method, packet, nowNanos);
        }
        if (packet.remainingMicros <= 0) {
            responses.reject(session, slot, RpcStatus.DEADLINE_EXCEEDED, TOO_LATE);
            return false;
        }
        boolean large = packet.type == PacketType.LARGE_REQUEST;
        if (shedding.isFull(large)) {
            responses.rejectForLoad(session, slot, shedding.fullText(large), shedding.retryMillis());
            return false;
        }
        long deadline = deadline(packet.remainingMicros, nowNanos);
        if (large) {
            slot.become(ServerSlot.State.READING);
            counters.increment(Counter.LARGE_IN_PROGRESS);
            transfers.fetch(new RequestRead(session, slot, packet, method, nowNanos, deadline));
            return false;
        }
        if (method.executor() == null && method.handler() instanceof BytesHandler handler) {
            counters.increment(Counter.REQUESTS_DISPATCHED);
            return inlineCall.serve(handler, session, slot, method, packet, nowNanos, deadline);
        }
        InboundMessage message = ring.lend(packet.entry, packet.payloadAt, packet.payloadBytes);
        dispatch(new IncomingCall(parts, session, slot, method, message, packet.hasMetadata(), nowNanos, deadline));
        return true;
    }

    /**
     * Rejects a call that the guard does not admit, before the call uses resources. A large request is not READ, so its
     * handler sees no message.
     */
    private boolean rejectUnadmitted(
            GuardedHandler guard,
            ServerSession session,
            ServerSlot slot,
            ServiceExport.Method method,
            ReceivedHeader packet,
            long nowNanos) {
        boolean large = packet.type == PacketType.LARGE_REQUEST;
        InboundMessage message = large ? NOT_READ : ring.lend(packet.entry, packet.payloadAt, packet.payloadBytes);
        boolean metadata = !large && packet.hasMetadata();
        long deadline = deadline(Math.max(0, packet.remainingMicros), nowNanos);
        counters.increment(Counter.REQUESTS_DISPATCHED);
        IncomingCall call = new IncomingCall(parts, session, slot, method, message, metadata, nowNanos, deadline);
        slot.call = call;
        call.rejectBy(guard);
        return !large;
    }

    private void dispatch(IncomingCall call) {
        counters.increment(Counter.REQUESTS_DISPATCHED);
        call.slot.call = call;
        call.dispatch();
    }

    private static long deadline(long remainingMicros, long nowNanos) {
        return nowNanos + Math.min(remainingMicros, MAX_MICROS) * NANOS_PER_MICRO;
    }

    private String unknownMethod(ServerSession session, int methodId) {
        return "the server has no method with id 0x" + Integer.toHexString(methodId) + "; it exports "
                + methods.servicesFor(session.info().identity());
    }

    /** The READ of a large request. */
    private final class RequestRead extends LargeRead {

        private final ServerSession server;
        private final ServerSlot slot;
        private final ServiceExport.Method method;
        private final boolean metadata;
        private final long arrivedNanos;
        private final long deadlineNanos;
        /** Whether load shedding counts it as a call. */
        private boolean counted;

        private boolean over;

        RequestRead(
                ServerSession server,
                ServerSlot slot,
                ReceivedHeader packet,
                ServiceExport.Method method,
                long arrivedNanos,
                long deadlineNanos) {
            super(server, packet.length, packet.remoteAddress, packet.rkey, true);
            this.server = server;
            this.slot = slot;
            this.method = method;
            this.metadata = packet.hasMetadata();
            this.arrivedNanos = arrivedNanos;
            this.deadlineNanos = deadlineNanos;
            begin();
        }

        private void begin() {
            shedding.onFetch();
            counted = true;
        }

        /**
         * A request that waits for other requests of its peer does not count as a call, so that calls of other peers
         * can run.
         */
        @Override
        public void onWait() {
            shedding.onFetched();
            counted = false;
        }

        @Override
        public boolean isNeeded(long nowNanos) {
            return !slot.cancelled && nowNanos - deadlineNanos < 0;
        }

        @Override
        public boolean admits() {
            begin();
            if (slot.cancelled || !server.isOpen()) {
                abandon(this::releaseUnread);
            } else if (context.clock().nanoTime() - deadlineNanos >= 0) {
                abandon(this::rejectLate);
            } else if (shedding.isOverfull()) {
                abandon(() -> responses.rejectForLoad(server, slot, shedding.fullText(true), shedding.retryMillis()));
            } else {
                return true;
            }
            return false;
        }

        private void abandon(Runnable rejection) {
            slot.become(ServerSlot.State.EXECUTING);
            slot.completeNanos = context.clock().nanoTime();
            ended();
            rejection.run();
        }

        @Override
        public void onFetched(InboundMessage message) {
            try {
                onMessage(message);
            } finally {
                ended();
            }
        }

        private void onMessage(InboundMessage message) {
            slot.become(ServerSlot.State.EXECUTING);
            long nowNanos = context.clock().nanoTime();
            slot.completeNanos = nowNanos;
            if (slot.cancelled) {
                message.close();
                releaseUnread();
            } else if (server.isOpen() && nowNanos - deadlineNanos < 0) {
                IncomingCall call =
                        new IncomingCall(parts, server, slot, method, message, metadata, arrivedNanos, deadlineNanos);
                call.completeAt(nowNanos);
                dispatch(call);
            } else {
                message.close();
                rejectLate();
            }
        }

        /** Ends the count of this request. A second call does nothing. */
        private void ended() {
            if (over) {
                return;
            }
            over = true;
            counters.add(Counter.LARGE_IN_PROGRESS, -1);
            if (counted) {
                shedding.onFetched();
            }
        }

        /** Releases the slot. The client then waits only for the report that the server no longer READs its memory. */
        private void releaseUnread() {
            responses.release(slot);
            if (server.isOpen()) {
                responses.sendProgress(server, slot.requestIndex, true);
            }
        }

        private void rejectLate() {
            if (server.isOpen()) {
                responses.reject(server, slot, RpcStatus.DEADLINE_EXCEEDED, TOO_LATE);
            }
        }

        @Override
        public void onFailed(String reason, boolean sessionIsBroken) {
            ended();
            slot.become(ServerSlot.State.EXECUTING);
            if (server.isOpen() && !sessionIsBroken) {
                responses.reject(server, slot, RpcStatus.BACKPRESSURE, "cannot READ the request: " + reason);
            }
        }
    }
}
