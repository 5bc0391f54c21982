package io.rdmarpc.rpc.engine.client;

import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.engine.context.CommandQueue;
import io.rdmarpc.rpc.engine.context.EngineContext;
import io.rdmarpc.rpc.engine.context.EngineCounters;
import io.rdmarpc.rpc.engine.context.EngineCounters.Counter;
import io.rdmarpc.rpc.engine.context.Expect;
import io.rdmarpc.rpc.engine.packet.CreditPool;
import io.rdmarpc.rpc.engine.packet.OutgoingPacket;
import io.rdmarpc.rpc.engine.packet.Transmitter;
import io.rdmarpc.rpc.engine.session.EngineSession;
import io.rdmarpc.rpc.wire.CreditWord;
import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.rpc.wire.PacketType;
import io.rdmarpc.rpc.wire.ReadDescriptor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The client's outbound path: starts calls in slots, sends requests and retransmits them. Engine thread only. */
public final class ClientRequests implements ClientCalls {

    private static final long NANOS_PER_MICRO = TimeUnit.MICROSECONDS.toNanos(1);
    private static final int HEADER_BYTES = PacketHeader.BYTES + PacketHeader.DEADLINE_BYTES;

    private final EngineContext context;
    private final CommandQueue commands;
    private final CreditPool credits;
    private final Transmitter transmitter;
    private final EngineCounters counters;
    private final ClientControlPackets controlPackets;
    private final ClientCallTermination termination;
    private final ClientTimers timers;
    private final DeferredCompletion deferred;
    private final LoopCalls loopCalls = new LoopCalls();

    public ClientRequests(EngineContext context, Transmitter transmitter, CreditPool credits) {
        this.context = context;
        this.commands = context.commands();
        this.credits = credits;
        this.transmitter = transmitter;
        this.counters = context.counters();
        this.controlPackets = new ClientControlPackets(transmitter, counters);
        this.termination = new ClientCallTermination(context, this, controlPackets);
        this.timers = new ClientTimers(context, this, termination, controlPackets, transmitter);
        this.deferred = new DeferredCompletion(this, transmitter);
    }

    /** Returns the sender of the client's control packets. */
    ClientControlPackets controlPackets() {
        return controlPackets;
    }

    /** Returns the handler of calls that end without a response. */
    public ClientCallTermination termination() {
        return termination;
    }

    /** Returns the handler of deadlines and retransmissions. */
    ClientTimers timers() {
        return timers;
    }

    /** Returns the completion of a call whose caller has continued with its response. */
    public DeferredCompletion deferred() {
        return deferred;
    }

    @Override
    public void submit(Call call, long nowNanos) {
        try {
            begin(call, nowNanos);
        } catch (Throwable e) {
            termination.failedToStart(call, e, true);
            throw e;
        }
    }

    @Override
    public void startNow(Call call) {
        if (commands.isEmpty() && startsAtOnce(call)) {
            return;
        }
        deferred.complete();
        commands.runLast(call, call.beginBy(context.clock()));
        transmitter.send();
    }

    private boolean startsAtOnce(Call call) {
        try {
            return startAtOnce(call);
        } catch (Throwable e) {
            termination.failedToStart(call, e, false);
            commands.failed(e);
            return true;
        }
    }

    @Override
    public LoopCalls loopCalls() {
        return loopCalls;
    }

    @Override
    public void cancel(ClientSession session, ResponseHandler handler, long atNanos, long nowNanos) {
        termination.cancel(session, handler, atNanos, nowNanos);
    }

    @Override
    public void failAll(ClientSession session, long nowNanos) {
        termination.failAll(session, nowNanos);
    }

    @Override
    public void onTimer(ClientSession session, long nowNanos) {
        timers.onTimer(session, nowNanos);
    }

    private void begin(Call call, long nowNanos) {
        ClientSession session = call.session;
        counters.increment(Counter.CALLS_STARTED);
        if (!session.mayStartCalls()) {
            termination.reject(call);
            return;
        }
        if (session.wasCancelledEarly(call)) {
            termination.cancelUnsent(call);
            return;
        }
        ClientSlot slot = session.hasBacklog() ? null : slotForNext(session, nowNanos);
        if (slot == null) {
            await(session, call);
        } else {
            start(slot, call, nowNanos);
        }
    }

    private void await(ClientSession session, Call call) {
        boolean first = !session.hasBacklog();
        if (first || call.deadlineNanos - session.backlogDueNanos < 0) {
            session.backlogDueNanos = call.deadlineNanos;
            context.timers().armBy(session, call.deadlineNanos);
        }
        session.backlog().addLast(call);
        counters.increment(Counter.BACKLOG);
    }

    /** Returns a slot for one more call, with a credit at either end, or null if the call has to wait. */
    private @Nullable ClientSlot slotForNext(ClientSession session, long nowNanos) {
        if (session.activeSlots == session.slots.length) {
            counters.increment(Counter.WINDOW_STALLS);
            return null;
        }
        if (!session.credits.isAllowed(session.activeSlots)) {
            counters.increment(Counter.CREDIT_STALLS);
            return null;
        }
        RateControl rate = session.rate;
        if (rate != null && !rate.mayStart(nowNanos)) {
            counters.increment(Counter.PACING_STALLS);
            context.timers().armBy(session, rate.nextStartNanos());
            return null;
        }
        if (!session.credits.tryStart(session.activeSlots)) {
            counters.increment(Counter.CREDIT_STALLS);
            credits.await(session);
            return null;
        }
        return session.nextFreeSlot();
    }

    private void start(ClientSlot slot, Call call, long nowNanos) {
        ClientSession session = call.session;
        boolean large = !session.fitsPacket(call.length);
        RegisteredBlock block = large ? transmitter.tryTakeBlock() : call.request();
        if (block == null) {
            // There is no memory for the control packet, so the call waits at the front of the backlog until the retry.
            session.backlogDueNanos = session.hasBacklog() ? session.backlogDueNanos : call.deadlineNanos;
            session.backlog().addFirst(call);
            counters.increment(Counter.BACKLOG);
            session.credits.onEnd(session.activeSlots);
            context.timers().armBy(session, nowNanos + ClientTimers.RETRY_NANOS);
            return;
        }
        slot.requestIndex += session.slots.length;
        OutgoingPacket packet;
        try {
            packet = large ? largePacket(slot, call, block) : smallPacket(slot, call, block);
        } catch (Throwable e) {
            undoStart(slot, session);
            if (large) {
                block.free();
            }
            throw e;
        }
        try {
            transmit(packet, call, nowNanos);
        } finally {
            onSent(slot, call, packet, nowNanos);
        }
    }

    /**
     * Starts a call whose caller owns the loop and waits for the response. No other call follows that could share its
     * packet. The packet is therefore sent before all other work; even the current time is read afterwards.
     *
     * @return false if the call cannot start in this manner; then nothing has changed
     */
    private boolean startAtOnce(Call call) {
        ClientSession session = call.session;
        boolean plain = isPlain(session, call);
        if (plain && deferred.canTakeSlot(session)) {
            startInPlaceOfLast(call);
            return true;
        }
        deferred.complete();
        if (!plain || !hasRoom(session) || !session.credits.tryStart(session.activeSlots)) {
            return false;
        }
        ClientSlot slot = session.nextFreeSlot();
        slot.requestIndex += session.slots.length;
        OutgoingPacket packet;
        try {
            packet = smallPacket(slot, call, call.request());
        } catch (Throwable e) {
            undoStart(slot, session);
            throw e;
        }
        try {
            writeDeadline(packet, call.timeoutNanos);
            transmitter.sendAtOnce(packet);
        } finally {
            counters.increment(Counter.CALLS_STARTED);
            onSent(slot, call, packet, call.beginBy(context.clock()));
        }
        return true;
    }

    /** Returns slot and credit of a call for which no packet could be created. */
    private static void undoStart(ClientSlot slot, ClientSession session) {
        slot.requestIndex -= session.slots.length;
        slot.lent = null;
        session.credits.onEnd(session.activeSlots);
    }

    /**
     * Starts a call with the slot, credit and packet of the session's last call, so that none of them is released and
     * acquired again.
     */
    private void startInPlaceOfLast(Call call) {
        ClientSlot slot = deferred.takeSlot();
        slot.requestIndex += call.session.slots.length;
        RegisteredBlock block = call.request();
        OutgoingPacket packet = Expect.present(slot.packet);
        RegisteredBlock last = Expect.present(packet.block);
        int at;
        try {
            at = writeHeader(slot, call, block);
        } catch (Throwable e) {
            slot.requestIndex -= call.session.slots.length;
            deferred.returnSlot();
            throw e;
        }
        packet.carry(block, at, HEADER_BYTES + call.length);
        try {
            writeDeadline(packet, call.timeoutNanos);
            transmitter.sendAtOnce(packet);
        } finally {
            transmitter.giveBack(last);
            deferred.measure(slot);
            counters.increment(Counter.CALLS_STARTED);
            onSent(slot, call, packet, call.beginBy(context.clock()));
        }
    }

    /** Returns whether the call can start without further checks, including a check of the current time. */
    private static boolean isPlain(ClientSession session, Call call) {
        return session.mayStartCalls()
                && session.rate == null
                && !session.hasBacklog()
                && !session.hasEarlyCancels()
                && session.fitsPacket(call.length);
    }

    private static boolean hasRoom(ClientSession session) {
        return session.activeSlots < session.slots.length && session.credits.isAllowed(session.activeSlots);
    }

    /**
     * Updates slot, counters and timer after the packet of a slot's new call was sent or queued. The server does not
     * depend on these updates, so they follow the send.
     */
    private void onSent(ClientSlot slot, Call call, OutgoingPacket packet, long nowNanos) {
        ClientSession session = call.session;
        slot.begin(call, packet, session.roundTrips.timeoutNanos(), nowNanos);
        session.slotTaken(slot);
        if (session.rate != null) {
            session.rate.onStart(HEADER_BYTES + call.length, nowNanos);
        }
        call.sent();
        context.timers().armBy(session, timers.due(session, slot, nowNanos));
    }

    /** Writes the header into the headroom directly before the payload, so that the packet is contiguous. */
    private OutgoingPacket smallPacket(ClientSlot slot, Call call, RegisteredBlock block) {
        int at = writeHeader(slot, call, block);
        return transmitter.acquire(call.session.path, block, at, HEADER_BYTES + call.length);
    }

    /** Writes the header of a small request; returns its offset. */
    private static int writeHeader(ClientSlot slot, Call call, RegisteredBlock block) {
        int at = block.payloadOffset() - HEADER_BYTES;
        writeHeader(block, at, PacketType.REQUEST, slot, call);
        return at;
    }

    private OutgoingPacket largePacket(ClientSlot slot, Call call, RegisteredBlock control) {
        writeHeader(control, 0, PacketType.LARGE_REQUEST, slot, call);
        RegisteredBlock lent = call.request();
        slot.lent = lent;
        ReadDescriptor.write(control.memory(), HEADER_BYTES, lent.address() + lent.payloadOffset(), lent.rkey());
        return transmitter.acquire(call.session.path, control, 0, EngineSession.largePacketBytes(HEADER_BYTES));
    }

    private static void writeHeader(RegisteredBlock block, long at, int type, ClientSlot slot, Call call) {
        PacketHeader.write(
                block.memory(),
                at,
                type,
                call.session.credits.version(),
                requestFlags(call),
                call.session.peerId,
                call.session.cookie,
                slot.requestIndex,
                call.methodId,
                call.length);
    }

    /** Returns the header's flags. The call that is being started does not count as active yet. */
    private static int requestFlags(Call call) {
        ClientSession session = call.session;
        ClientCredits credits = session.credits;
        int flags = PacketHeader.FLAG_DEADLINE;
        flags |= call.metadata ? PacketHeader.FLAG_METADATA : 0;
        flags |= credits.isUsedUp(session.activeSlots + 1) ? PacketHeader.FLAG_MORE_CREDITS : 0;
        flags |= credits.isReturning() ? PacketHeader.FLAG_RETURN_CREDITS : 0;
        return flags;
    }

    /** Retransmits a slot's packet. */
    void retransmit(ClientSlot slot, Call call, long nowNanos) {
        transmit(Expect.present(slot.packet), call, nowNanos);
        slot.sends++;
        slot.retransmitNanos = nowNanos + slot.timeoutNanos;
    }

    private void transmit(OutgoingPacket packet, Call call, long nowNanos) {
        writeDeadline(packet, call.deadlineNanos - nowNanos);
        transmitter.send(packet);
    }

    private static void writeDeadline(OutgoingPacket packet, long remainingNanos) {
        RegisteredBlock block = Expect.present(packet.block);
        long remainingMicros = Math.max(0, remainingNanos) / NANOS_PER_MICRO;
        PacketHeader.writeDeadline(block.memory(), packet.address - block.address(), remainingMicros);
    }

    /** Records the round trip of a response, unless the response may belong to another send. */
    void measure(ClientSession session, ClientSlot slot, int creditWord, long nowNanos) {
        long nanos = nowNanos - slot.sentNanos;
        if (slot.retransmitted && !(slot.known && slot.sends == 0)) {
            session.respondedAfterRetransmit(slot.requestIndex, nanos);
            return;
        }
        session.roundTrips.measured(nanos);
        if (session.rate != null && !slot.retransmitted) {
            session.rate.onResponse(nanos, CreditWord.servedMicros(creditWord));
        }
    }

    /**
     * Handles a server's report that it has received the request. From then on, retransmissions only cover the loss of
     * the response, and may be less frequent.
     */
    void onKnown(ClientSession session, ClientSlot slot, long nowNanos) {
        slot.sends = 0;
        slot.known = true;
        if (slot.retransmitted) {
            slot.timeoutNanos = session.roundTrips.bounded(2 * slot.timeoutNanos);
            slot.retransmitNanos = nowNanos + slot.timeoutNanos;
        }
    }

    /** Ends a slot's call: frees its memory and starts the next call of the backlog. */
    void finish(ClientSession session, ClientSlot slot, long nowNanos) {
        freeCall(slot);
        freeSlot(session, slot, nowNanos);
    }

    /** Recycles a slot's call, to which the engine no longer refers. */
    static void freeCall(ClientSlot slot) {
        Call call = Expect.present(slot.call);
        slot.call = null;
        call.recycle();
    }

    /** Releases the resources of a slot that has no call any more. */
    void freeSlot(ClientSession session, ClientSlot slot, long nowNanos) {
        transmitter.release(Expect.present(slot.packet));
        slot.packet = null;
        if (slot.lent != null) {
            slot.lent.free();
            slot.lent = null;
        }
        slot.become(ClientSlot.State.FREE);
        session.slotFreed(slot);
        session.credits.onEnd(session.activeSlots);
        session.idleSinceNanos = nowNanos;
        startWaiting(session, nowNanos);
    }

    @Override
    public void startWaiting(ClientSession session, long nowNanos) {
        while (session.hasBacklog() && session.isOpen()) {
            ClientSlot slot = slotForNext(session, nowNanos);
            if (slot == null) {
                return;
            }
            int before = session.backlog().size();
            counters.add(Counter.BACKLOG, -1);
            start(slot, session.backlog().removeFirst(), nowNanos);
            if (session.backlog().size() == before) {
                return;
            }
        }
    }
}
