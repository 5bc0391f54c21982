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

/** Client, way out: calls take slots, go out, go out again. Engine thread only. */
public final class ClientRequests implements ClientCalls {

    private static final long NANOS_PER_MICRO = TimeUnit.MICROSECONDS.toNanos(1);
    private static final int HEADER_BYTES = PacketHeader.BYTES + PacketHeader.DEADLINE_BYTES;

    private final EngineContext context;
    private final CommandQueue commands;
    private final CreditPool credits;
    private final Transmitter transmitter;
    private final EngineCounters counters;
    private final ClientControlPackets hints;
    private final ClientCallTermination endings;
    private final ClientTimers times;
    private final DeferredCompletion deferred;

    public ClientRequests(EngineContext context, Transmitter transmitter, CreditPool credits) {
        this.context = context;
        this.commands = context.commands();
        this.credits = credits;
        this.transmitter = transmitter;
        this.counters = context.counters();
        this.hints = new ClientControlPackets(transmitter, counters);
        this.endings = new ClientCallTermination(context, this, hints);
        this.times = new ClientTimers(context, this, endings, hints, transmitter);
        this.deferred = new DeferredCompletion(this, transmitter);
    }

    /** What it tells the server besides. */
    ClientControlPackets hints() {
        return hints;
    }

    /** Calls that end without an answer. */
    public ClientCallTermination endings() {
        return endings;
    }

    /** What time brings. */
    ClientTimers times() {
        return times;
    }

    /** The completion of a call whose caller has continued with its response. */
    public DeferredCompletion deferred() {
        return deferred;
    }

    @Override
    public void submit(Call call, long nowNanos) {
        try {
            begin(call, nowNanos);
        } catch (Throwable e) {
            endings.failedToStart(call, e, true);
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
            endings.failedToStart(call, e, false);
            commands.failed(e);
            return true;
        }
    }

    @Override
    public void cancel(ClientSession session, ResponseHandler handler, long atNanos, long nowNanos) {
        endings.cancel(session, handler, atNanos, nowNanos);
    }

    @Override
    public void failAll(ClientSession session, long nowNanos) {
        endings.failAll(session, nowNanos);
    }

    @Override
    public void onTimer(ClientSession session, long nowNanos) {
        times.onTimer(session, nowNanos);
    }

    private void begin(Call call, long nowNanos) {
        ClientSession session = call.session;
        counters.increment(Counter.CALLS_STARTED);
        if (!session.takesCalls()) {
            endings.refuse(call);
            return;
        }
        if (session.wasCancelledEarly(call)) {
            endings.cancelUnsent(call);
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
            context.timers().armBy(session.timer, call.deadlineNanos);
        }
        session.backlog().addLast(call);
        counters.increment(Counter.BACKLOG);
    }

    /** A slot for one more call, with a credit at either end; null when it has to wait. */
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
            context.timers().armBy(session.timer, rate.nextStartNanos());
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
            // No memory for the control packet: the call waits in front of the backlog for a moment.
            session.backlogDueNanos = session.hasBacklog() ? session.backlogDueNanos : call.deadlineNanos;
            session.backlog().addFirst(call);
            counters.increment(Counter.BACKLOG);
            session.credits.onEnd(session.activeSlots);
            context.timers().armBy(session.timer, nowNanos + ClientTimers.RETRY_NANOS);
            return;
        }
        slot.requestIndex += session.slots.length;
        OutgoingPacket packet;
        try {
            packet = large ? largePacket(slot, call, block) : smallPacket(slot, call, block);
        } catch (Throwable e) {
            leave(slot, session);
            if (large) {
                block.free();
            }
            throw e;
        }
        try {
            transmit(packet, call, nowNanos);
        } finally {
            note(slot, call, packet, nowNanos);
        }
    }

    /**
     * A call whose caller owns the loop and waits for it: no other one follows that could share its packet. That leaves before
     * anything else is done, for nothing else is waited for; even what time it is can be seen afterwards.
     *
     * @return false when it cannot start in this way, and nothing has happened
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
            leave(slot, session);
            throw e;
        }
        try {
            writeDeadline(packet, call.timeoutNanos);
            transmitter.sendAtOnce(packet);
        } finally {
            counters.increment(Counter.CALLS_STARTED);
            note(slot, call, packet, call.beginBy(context.clock()));
        }
        return true;
    }

    /** A call has no packet: slot and credit are for another one. */
    private static void leave(ClientSlot slot, ClientSession session) {
        slot.requestIndex -= session.slots.length;
        slot.lent = null;
        session.credits.onEnd(session.activeSlots);
    }

    /** Slot, credit and packet of the session's last call are those of this one: nothing is given back to be taken again. */
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
            note(slot, call, packet, call.beginBy(context.clock()));
        }
    }

    /** Nothing has to be looked at before it starts, what time it is included. */
    private static boolean isPlain(ClientSession session, Call call) {
        return session.takesCalls()
                && session.rate == null
                && !session.hasBacklog()
                && !session.hasEarlyCancels()
                && session.fitsPacket(call.length);
    }

    private static boolean hasRoom(ClientSession session) {
        return session.activeSlots < session.slots.length && session.credits.isAllowed(session.activeSlots);
    }

    /** What the server does not wait for: it comes when the packet of a slot's new call has left, or waits for room. */
    private void note(ClientSlot slot, Call call, OutgoingPacket packet, long nowNanos) {
        ClientSession session = call.session;
        slot.begin(call, packet, session.roundTrips.timeoutNanos(), nowNanos);
        session.slotTaken();
        if (session.rate != null) {
            session.rate.onStart(HEADER_BYTES + call.length, nowNanos);
        }
        call.sent();
        context.timers().armBy(session.timer, times.due(session, slot, nowNanos));
    }

    /** The header goes into the headroom right before the payload: one piece of memory, one packet. */
    private OutgoingPacket smallPacket(ClientSlot slot, Call call, RegisteredBlock block) {
        int at = writeHeader(slot, call, block);
        return transmitter.acquire(call.session.path, block, at, HEADER_BYTES + call.length);
    }

    /** Of a small request; returns where it begins. */
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

    /** The call that is being started does not count as active yet. */
    private static int requestFlags(Call call) {
        ClientSession session = call.session;
        ClientCredits credits = session.credits;
        int flags = PacketHeader.FLAG_DEADLINE;
        flags |= call.metadata ? PacketHeader.FLAG_METADATA : 0;
        flags |= credits.isUsedUp(session.activeSlots + 1) ? PacketHeader.FLAG_MORE_CREDITS : 0;
        flags |= credits.isReturning() ? PacketHeader.FLAG_RETURN_CREDITS : 0;
        return flags;
    }

    /** Sends a slot's packet again. */
    void repeat(ClientSlot slot, Call call, long nowNanos) {
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

    /** An answer is here: the round trip counts unless it may be the answer to another send. */
    void measure(ClientSession session, ClientSlot slot, int creditWord, long nowNanos) {
        long nanos = nowNanos - slot.sentNanos;
        if (slot.repeated && !(slot.known && slot.sends == 0)) {
            session.answeredAfterRepeat(slot.requestIndex, nanos);
            return;
        }
        session.roundTrips.measured(nanos);
        if (session.rate != null && !slot.repeated) {
            session.rate.onAnswer(nanos, CreditWord.servedMicros(creditWord));
        }
    }

    /** The server knows the call. It goes out again only because its answer may be lost, which has time. */
    void onKnown(ClientSession session, ClientSlot slot, long nowNanos) {
        slot.sends = 0;
        slot.known = true;
        if (slot.repeated) {
            slot.timeoutNanos = session.roundTrips.bounded(2 * slot.timeoutNanos);
            slot.retransmitNanos = nowNanos + slot.timeoutNanos;
        }
    }

    /** Ends a slot's call: memory goes back, the next call of the backlog starts. */
    void finish(ClientSession session, ClientSlot slot, long nowNanos) {
        freeCall(slot);
        freeSlot(session, slot, nowNanos);
    }

    /** The engine refers to a slot's call no more. */
    static void freeCall(ClientSlot slot) {
        Call call = Expect.present(slot.call);
        slot.call = null;
        call.recycle();
    }

    /** The rest of an end, of a slot without a call. */
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
