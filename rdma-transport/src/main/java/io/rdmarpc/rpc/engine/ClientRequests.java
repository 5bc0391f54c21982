package io.rdmarpc.rpc.engine;

import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.RdmaTimeoutException;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcException;
import io.rdmarpc.rpc.RpcStatus;
import io.rdmarpc.rpc.engine.EngineCounters.Counter;
import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.rpc.wire.PacketType;
import io.rdmarpc.rpc.wire.ReadDescriptor;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Client, way out: calls take slots, go out, go out again. Engine thread only. */
final class ClientRequests {

    private static final int HEADER_BYTES = PacketHeader.BYTES + PacketHeader.DEADLINE_BYTES;
    private static final long MAX_RETRANSMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final EventLoop loop;
    private final Transmitter transmitter;
    private final EngineCounters counters;
    private final long firstTimeoutNanos;
    private final int retransmitLimit;

    ClientRequests(
            EventLoop loop,
            Transmitter transmitter,
            EngineCounters counters,
            Duration retransmitTimeout,
            int retransmitLimit) {
        this.loop = loop;
        this.transmitter = transmitter;
        this.counters = counters;
        this.firstTimeoutNanos = retransmitTimeout.toNanos();
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
        ClientSlot slot = session.activeSlots < session.slots.length ? freeSlot(session) : null;
        if (slot == null) {
            session.backlog.addLast(call);
        } else {
            start(slot, call, nowNanos);
        }
    }

    void refuse(Call call) {
        call.request.free();
        counters.increment(Counter.CALLS_FAILED);
        call.fail(call.session.unavailable());
    }

    private static @Nullable ClientSlot freeSlot(ClientSession session) {
        for (ClientSlot slot : session.slots) {
            if (slot.state == ClientSlot.State.FREE) {
                return slot;
            }
        }
        return null;
    }

    private void start(ClientSlot slot, Call call, long nowNanos) {
        ClientSession session = call.session;
        boolean large = !session.fitsPacket(call.length);
        RegisteredBlock block = large ? transmitter.tryTakeBlock() : call.request;
        if (block == null) {
            // No memory for the control packet: the call waits in front of the backlog for the next scan.
            session.backlog.addFirst(call);
            return;
        }
        slot.requestIndex += session.slots.length;
        slot.call = call;
        slot.lent = large ? call.request : null;
        slot.packet = large ? largePacket(slot, block) : smallPacket(slot, block);
        slot.state = ClientSlot.State.SENT;
        slot.sentNanos = nowNanos;
        slot.timeoutNanos = firstTimeoutNanos;
        slot.sends = 0;
        session.activeSlots++;
        transmit(slot, call, nowNanos);
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
        RegisteredBlock lent = call.request;
        ReadDescriptor.write(control.memory(), HEADER_BYTES, lent.address() + lent.payloadOffset(), lent.rkey());
        return transmitter.acquire(call.session.path, control, 0, EngineSession.largePacketBytes(HEADER_BYTES));
    }

    private static void writeHeader(RegisteredBlock block, long at, int type, ClientSlot slot, Call call) {
        PacketHeader.write(
                block.memory(),
                at,
                type,
                0,
                PacketHeader.FLAG_DEADLINE,
                call.session.peerId,
                call.session.cookie,
                slot.requestIndex,
                call.methodId,
                call.length);
    }

    private void transmit(ClientSlot slot, Call call, long nowNanos) {
        OutgoingPacket packet = active(slot.packet);
        RegisteredBlock block = active(packet.block);
        long remainingMicros = Math.max(0, TimeUnit.NANOSECONDS.toMicros(call.deadlineNanos - nowNanos));
        PacketHeader.writeDeadline(block.memory(), packet.address - block.address(), remainingMicros);
        transmitter.send(packet);
        slot.sends++;
        slot.retransmitNanos = nowNanos + slot.timeoutNanos;
        slot.timeoutNanos = Math.min(2 * slot.timeoutNanos, MAX_RETRANSMIT_NANOS);
    }

    /** Looks after one slot that waits for its server: time-out, then retransmission. */
    void watch(ClientSession session, ClientSlot slot, long nowNanos) {
        Call call = slot.call;
        if (call == null) {
            return;
        }
        if (call.hasExpired(nowNanos) && !call.hasEnded()) {
            expire(session, slot, call, nowNanos);
        }
        boolean waits = slot.state == ClientSlot.State.SENT || slot.state == ClientSlot.State.ABANDONED;
        if (!waits || nowNanos - slot.retransmitNanos < 0 || transmitter.isAtNic(active(slot.packet))) {
            return;
        }
        if (slot.sends >= retransmitLimit) {
            loop.breakSession(
                    session,
                    "no sign of life after " + slot.sends + " sends of one request in "
                            + TimeUnit.NANOSECONDS.toMillis(nowNanos - slot.sentNanos) + " ms");
            return;
        }
        counters.increment(Counter.RETRANSMISSIONS);
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
                giveUp(session, slot, call, cancelled(session, "it was sent " + slot.sends + " time(s)"), nowNanos);
                return;
            }
        }
        session.backlog.removeIf(call -> call.isFor(handler) && cancelWaiting(session, call));
    }

    private boolean cancelWaiting(ClientSession session, Call call) {
        call.request.free();
        counters.increment(Counter.CALLS_FAILED);
        call.fail(cancelled(session, "it was not sent"));
        return true;
    }

    private static RpcException cancelled(ClientSession session, String how) {
        return new RpcException(
                RpcStatus.CANCELLED,
                "the caller cancelled the call to " + session.info().peer() + "; " + how);
    }

    void expireBacklog(ClientSession session, long nowNanos) {
        session.backlog.removeIf(call -> {
            if (!call.hasExpired(nowNanos)) {
                return false;
            }
            call.request.free();
            counters.increment(Counter.CALLS_FAILED);
            call.fail(timeout(session, call, "it was still waiting for one of " + session.slots.length + " slots"));
            return true;
        });
    }

    private static RdmaTimeoutException timeout(ClientSession session, Call call, String how) {
        return new RdmaTimeoutException("no answer from " + session.info().peer() + " in "
                + TimeUnit.NANOSECONDS.toMillis(call.timeoutNanos) + " ms; " + how
                + ". The call may or may not have run: allow more time, or look at the server's load");
    }

    /** Ends a slot's call: memory goes back, the next call of the backlog starts. */
    void finish(ClientSession session, ClientSlot slot, long nowNanos) {
        transmitter.release(active(slot.packet));
        slot.packet = null;
        if (slot.lent != null) {
            slot.lent.free();
            slot.lent = null;
        }
        slot.call = null;
        slot.state = ClientSlot.State.FREE;
        session.activeSlots--;
        startWaiting(session, nowNanos);
    }

    /** Starts calls of the backlog while there are free slots. */
    void startWaiting(ClientSession session, long nowNanos) {
        while (!session.backlog.isEmpty() && session.isOpen()) {
            ClientSlot slot = freeSlot(session);
            if (slot == null) {
                return;
            }
            int before = session.backlog.size();
            start(slot, session.backlog.removeFirst(), nowNanos);
            if (session.backlog.size() == before) {
                return;
            }
        }
    }

    /** Tells the server that a call's answer is not needed, or not any more. A hint: it may be lost. */
    void sendRelease(ClientSession session, long requestIndex) {
        sendHint(PacketType.RELEASE, session, requestIndex);
    }

    private void sendHint(int type, ClientSession session, long requestIndex) {
        RegisteredBlock block = transmitter.tryTakeBlock();
        if (block == null) {
            return;
        }
        PacketHeader.write(block.memory(), 0, type, 0, 0, session.peerId, session.cookie, requestIndex, 0, 0);
        transmitter.sendOnce(transmitter.acquire(session.path, block, 0, PacketHeader.BYTES));
    }

    /** The session is over: everything that waits fails. */
    void failAll(ClientSession session, long nowNanos) {
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
