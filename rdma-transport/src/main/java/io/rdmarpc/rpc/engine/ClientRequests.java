package io.rdmarpc.rpc.engine;

import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.RdmaTimeoutException;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcException;
import io.rdmarpc.rpc.RpcStatus;
import io.rdmarpc.rpc.engine.EngineCounters.Counter;
import io.rdmarpc.rpc.engine.EngineCounters.Drop;
import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.rpc.wire.PacketType;
import io.rdmarpc.rpc.wire.ReadDescriptor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Client, way out: calls take slots, go out, go out again. Engine thread only. */
final class ClientRequests {

    private static final int HEADER_BYTES = PacketHeader.BYTES + PacketHeader.DEADLINE_BYTES;
    /** Pause before another try when memory is short or a packet has not left. */
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    /** How long a session keeps borrowed credits without a call. */
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** When nothing is due. */
    private static final long IDLE_LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final EventLoop loop;
    private final Transmitter transmitter;
    private final EngineCounters counters;
    private final int retransmitLimit;

    ClientRequests(EventLoop loop, Transmitter transmitter, EngineCounters counters, int retransmitLimit) {
        this.loop = loop;
        this.transmitter = transmitter;
        this.counters = counters;
        this.retransmitLimit = retransmitLimit;
    }

    /** A new call: starts in a free slot, or waits its turn. */
    void submit(Call call, long nowNanos) {
        ClientSession session = call.session;
        counters.increment(Counter.CALLS_STARTED);
        if (!session.isOpen()) {
            refuse(call);
            return;
        }
        ClientSlot slot = session.backlog.isEmpty() ? slotForNext(session, nowNanos) : null;
        if (slot == null) {
            await(session, call);
        } else {
            start(slot, call, nowNanos);
        }
    }

    private void await(ClientSession session, Call call) {
        boolean first = session.backlog.isEmpty();
        if (first || call.deadlineNanos - session.backlogDueNanos < 0) {
            session.backlogDueNanos = call.deadlineNanos;
            loop.timers().armBy(session.timer, call.deadlineNanos);
        }
        session.backlog.addLast(call);
        counters.increment(Counter.BACKLOG);
    }

    void refuse(Call call) {
        call.request().free();
        counters.increment(Counter.CALLS_FAILED);
        call.fail(call.session.unavailable());
        call.recycle();
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
            loop.timers().armBy(session.timer, rate.nextStartNanos());
            return null;
        }
        if (!session.credits.tryStart(session.activeSlots)) {
            counters.increment(Counter.CREDIT_STALLS);
            loop.creditPool().await(session);
            return null;
        }
        return freeSlot(session);
    }

    private static ClientSlot freeSlot(ClientSession session) {
        for (ClientSlot slot : session.slots) {
            if (slot.state == ClientSlot.State.FREE) {
                return slot;
            }
        }
        throw new AssertionError("fewer slots are free than the session counts");
    }

    private void start(ClientSlot slot, Call call, long nowNanos) {
        ClientSession session = call.session;
        boolean large = !session.fitsPacket(call.length);
        RegisteredBlock block = large ? transmitter.tryTakeBlock() : call.request();
        if (block == null) {
            // No memory for the control packet: the call waits in front of the backlog for a moment.
            session.backlogDueNanos = session.backlog.isEmpty() ? call.deadlineNanos : session.backlogDueNanos;
            session.backlog.addFirst(call);
            counters.increment(Counter.BACKLOG);
            session.credits.onEnd(session.activeSlots);
            loop.timers().armBy(session.timer, nowNanos + RETRY_NANOS);
            return;
        }
        slot.requestIndex += session.slots.length;
        slot.call = call;
        slot.lent = large ? call.request() : null;
        slot.packet = large ? largePacket(slot, block) : smallPacket(slot, block);
        slot.state = ClientSlot.State.SENT;
        slot.sentNanos = nowNanos;
        slot.timeoutNanos = session.roundTrips.timeoutNanos();
        slot.sends = 0;
        slot.repeated = false;
        slot.known = false;
        session.activeSlots++;
        if (session.rate != null) {
            session.rate.onStart(HEADER_BYTES + call.length, nowNanos);
        }
        transmit(slot, call, nowNanos);
        call.sent();
        loop.timers().armBy(session.timer, due(session, slot, nowNanos));
    }

    /** The header goes into the headroom right before the payload: one piece of memory, one packet. */
    private OutgoingPacket smallPacket(ClientSlot slot, RegisteredBlock block) {
        Call call = active(slot.call);
        int at = block.payloadOffset() - HEADER_BYTES;
        writeHeader(block, at, PacketType.REQUEST, slot, call);
        return transmitter.acquire(call.session.path, block, at, HEADER_BYTES + call.length);
    }

    private OutgoingPacket largePacket(ClientSlot slot, RegisteredBlock control) {
        Call call = active(slot.call);
        writeHeader(control, 0, PacketType.LARGE_REQUEST, slot, call);
        RegisteredBlock lent = call.request();
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

    private void transmit(ClientSlot slot, Call call, long nowNanos) {
        OutgoingPacket packet = active(slot.packet);
        RegisteredBlock block = active(packet.block);
        long remainingMicros = Math.max(0, TimeUnit.NANOSECONDS.toMicros(call.deadlineNanos - nowNanos));
        PacketHeader.writeDeadline(block.memory(), packet.address - block.address(), remainingMicros);
        transmitter.send(packet);
        slot.sends++;
        slot.retransmitNanos = nowNanos + slot.timeoutNanos;
    }

    /** The time has come for something in a session: a deadline, a retransmission, another try. */
    void onTimer(ClientSession session, long nowNanos) {
        if (session.activeSlots > 0) {
            for (ClientSlot slot : session.slots) {
                watch(session, slot, nowNanos);
            }
        }
        if (!session.backlog.isEmpty()) {
            if (nowNanos - session.backlogDueNanos >= 0) {
                expireBacklog(session, nowNanos);
            }
            startWaiting(session, nowNanos);
        }
        if (session.activeSlots == 0 && session.backlog.isEmpty()) {
            returnCredits(session, nowNanos);
        }
        armAgain(session, nowNanos);
    }

    /** An idle session gives back what it has borrowed; again and again, until the server has heard it. */
    private void returnCredits(ClientSession session, long nowNanos) {
        if (!session.isOpen() || !session.credits.isReturnDue()) {
            return;
        }
        long due = session.idleSinceNanos + IDLE_NANOS;
        if (nowNanos - due >= 0) {
            session.credits.giveBack();
            sendReturn(session);
            due = nowNanos + IDLE_NANOS;
        }
        loop.timers().armBy(session.timer, due);
    }

    /** Rides on the release of a call that has ended: nobody needs its answer. */
    private void sendReturn(ClientSession session) {
        RegisteredBlock block = transmitter.tryTakeBlock();
        if (block == null) {
            return;
        }
        PacketHeader.write(
                block.memory(),
                0,
                PacketType.RELEASE,
                session.credits.version(),
                PacketHeader.FLAG_RETURN_CREDITS,
                session.peerId,
                session.cookie,
                session.slots[0].requestIndex,
                0,
                0);
        transmitter.sendOnce(transmitter.acquire(session.path, block, 0, PacketHeader.BYTES));
    }

    private void armAgain(ClientSession session, long nowNanos) {
        if (!session.backlog.isEmpty()) {
            loop.timers().armBy(session.timer, session.backlogDueNanos);
        }
        if (session.activeSlots > 0) {
            for (ClientSlot slot : session.slots) {
                if (slot.call != null) {
                    loop.timers().armBy(session.timer, due(session, slot, nowNanos));
                }
            }
        }
    }

    /** When a slot has to be looked at: its deadline, its next send, or soon when that one's packet has not left. */
    private long due(ClientSession session, ClientSlot slot, long nowNanos) {
        Call call = active(slot.call);
        long due = call.hasEnded() ? nowNanos + IDLE_LOOK_NANOS : call.deadlineNanos;
        if (session.isOpen() && isAwaitingAnswer(slot)) {
            long again = slot.retransmitNanos - nowNanos > 0 ? slot.retransmitNanos : nowNanos + RETRY_NANOS;
            due = again - due < 0 ? again : due;
        }
        return due;
    }

    private static boolean isAwaitingAnswer(ClientSlot slot) {
        return slot.state == ClientSlot.State.SENT || slot.state == ClientSlot.State.ABANDONED;
    }

    /** Looks after one slot that waits for its server: time-out, then retransmission. */
    private void watch(ClientSession session, ClientSlot slot, long nowNanos) {
        Call call = slot.call;
        if (call == null) {
            return;
        }
        if (call.hasExpired(nowNanos) && !call.hasEnded()) {
            expire(session, slot, call, nowNanos);
        }
        if (!isAwaitingAnswer(slot)
                || nowNanos - slot.retransmitNanos < 0
                || transmitter.isAtNic(active(slot.packet))) {
            return;
        }
        if (slot.sends >= retransmitLimit) {
            session.breakOff("no sign of life after " + slot.sends + " sends of one request in "
                    + TimeUnit.NANOSECONDS.toMillis(nowNanos - slot.sentNanos) + " ms");
            return;
        }
        counters.increment(Counter.RETRANSMISSIONS);
        slot.repeated = true;
        slot.timeoutNanos = session.roundTrips.backOff(slot.timeoutNanos);
        transmit(slot, call, nowNanos);
    }

    private void expire(ClientSession session, ClientSlot slot, Call call, long nowNanos) {
        giveUp(session, slot, call, timeout(session, call, "it was sent " + slot.sends + " time(s)"), nowNanos);
    }

    /** Fails the call now. Its slot follows when neither the NIC nor the server can touch its memory any more. */
    private void giveUp(ClientSession session, ClientSlot slot, Call call, RpcException why, long nowNanos) {
        counters.increment(Counter.CALLS_FAILED);
        call.fail(why);
        if (slot.state != ClientSlot.State.SENT) {
            return;
        }
        sendHint(PacketType.CANCEL, session, slot.requestIndex);
        if (slot.lent == null) {
            finish(session, slot, nowNanos);
        } else {
            slot.state = ClientSlot.State.ABANDONED;
            slot.retransmitNanos = nowNanos;
        }
    }

    /** The caller gives a call up, if it has not ended yet. */
    void cancel(ClientSession session, ResponseHandler handler, long nowNanos) {
        for (ClientSlot slot : session.slots) {
            Call call = slot.call;
            if (call != null && call.isFor(handler) && !call.hasEnded()) {
                counters.increment(Counter.CALLS_CANCELLED);
                giveUp(session, slot, call, cancelled(session, "it was sent " + slot.sends + " time(s)"), nowNanos);
                return;
            }
        }
        session.backlog.removeIf(call -> call.isFor(handler) && cancelWaiting(session, call));
        Call moving = session.moving(handler);
        if (moving != null) {
            cancelMoving(session, moving);
        }
    }

    /** Its memory is somebody else's at the moment: the session takes it back when that one is done. */
    private void cancelMoving(ClientSession session, Call call) {
        counters.increment(Counter.CALLS_STARTED);
        counters.increment(Counter.CALLS_CANCELLED);
        counters.increment(Counter.CALLS_FAILED);
        call.fail(cancelled(session, "it was not sent"));
    }

    private boolean cancelWaiting(ClientSession session, Call call) {
        counters.add(Counter.BACKLOG, -1);
        counters.increment(Counter.CALLS_CANCELLED);
        call.request().free();
        counters.increment(Counter.CALLS_FAILED);
        call.fail(cancelled(session, "it was not sent"));
        call.recycle();
        return true;
    }

    private static RpcException cancelled(ClientSession session, String how) {
        return new RpcException(
                RpcStatus.CANCELLED,
                "the caller cancelled the call to " + session.info().peer() + "; " + how);
    }

    private void expireBacklog(ClientSession session, long nowNanos) {
        session.backlog.removeIf(call -> {
            if (!call.hasExpired(nowNanos)) {
                return false;
            }
            counters.add(Counter.BACKLOG, -1);
            call.request().free();
            counters.increment(Counter.CALLS_FAILED);
            call.fail(timeout(session, call, "it was still waiting for one of " + session.slots.length + " slots"));
            call.recycle();
            return true;
        });
        long due = nowNanos + IDLE_LOOK_NANOS;
        for (Call call : session.backlog) {
            due = call.deadlineNanos - due < 0 ? call.deadlineNanos : due;
        }
        session.backlogDueNanos = due;
    }

    private static RdmaTimeoutException timeout(ClientSession session, Call call, String how) {
        return new RdmaTimeoutException("no answer from " + session.info().peer() + " in "
                + TimeUnit.NANOSECONDS.toMillis(call.timeoutNanos) + " ms; " + how
                + ". The call may or may not have run: allow more time, or look at the server's load");
    }

    /** An answer is here: the round trip counts unless it may be the answer to another send. */
    void measure(ClientSession session, ClientSlot slot, long nowNanos) {
        long nanos = nowNanos - slot.sentNanos;
        if (slot.repeated && !(slot.known && slot.sends == 0)) {
            session.answeredAfterRepeat(slot.requestIndex, nanos);
            return;
        }
        session.roundTrips.measured(nanos);
        if (session.rate != null && !slot.repeated) {
            session.rate.onRoundTrip(nanos);
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
        transmitter.release(active(slot.packet));
        slot.packet = null;
        if (slot.lent != null) {
            slot.lent.free();
            slot.lent = null;
        }
        Call call = active(slot.call);
        slot.call = null;
        call.recycle();
        slot.state = ClientSlot.State.FREE;
        session.activeSlots--;
        session.credits.onEnd(session.activeSlots);
        session.idleSinceNanos = nowNanos;
        startWaiting(session, nowNanos);
    }

    /** Starts calls of the backlog while there are free slots. */
    void startWaiting(ClientSession session, long nowNanos) {
        while (!session.backlog.isEmpty() && session.isOpen()) {
            ClientSlot slot = slotForNext(session, nowNanos);
            if (slot == null) {
                return;
            }
            int before = session.backlog.size();
            counters.add(Counter.BACKLOG, -1);
            start(slot, session.backlog.removeFirst(), nowNanos);
            if (session.backlog.size() == before) {
                return;
            }
        }
    }

    /** Tells the server that a call's answer is not needed, or not any more. It may be lost: then the server asks. */
    void sendRelease(ClientSession session, long requestIndex) {
        sendHint(PacketType.RELEASE, session, requestIndex);
    }

    private void sendHint(int type, ClientSession session, long requestIndex) {
        RegisteredBlock block = transmitter.tryTakeBlock();
        if (block == null) {
            counters.drop(Drop.NO_BUFFER);
            return;
        }
        PacketHeader.write(block.memory(), 0, type, 0, 0, session.peerId, session.cookie, requestIndex, 0, 0);
        transmitter.sendOnce(transmitter.acquire(session.path, block, 0, PacketHeader.BYTES));
    }

    /** The session is over: everything that waits fails. */
    void failAll(ClientSession session, long nowNanos) {
        loop.timers().cancel(session.timer);
        for (ClientSlot slot : session.slots) {
            Call call = slot.call;
            if (call == null) {
                continue;
            }
            if (!call.hasEnded()) {
                counters.increment(Counter.CALLS_FAILED);
                call.fail(session.unavailable());
            }
            if (slot.state != ClientSlot.State.READING) {
                finish(session, slot, nowNanos);
            }
        }
        while (!session.backlog.isEmpty()) {
            counters.add(Counter.BACKLOG, -1);
            refuse(session.backlog.removeFirst());
        }
    }

    static <T> T active(@Nullable T part) {
        if (part == null) {
            throw new AssertionError("an active slot has a call and a packet");
        }
        return part;
    }
}
