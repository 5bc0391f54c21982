package io.rdmarpc.rpc.engine.server;

import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.engine.context.EngineContext;
import io.rdmarpc.rpc.engine.context.EngineCounters;
import io.rdmarpc.rpc.engine.context.EngineCounters.Counter;
import io.rdmarpc.rpc.engine.context.EngineCounters.Drop;
import io.rdmarpc.rpc.engine.context.Expect;
import io.rdmarpc.rpc.engine.packet.OutgoingPacket;
import io.rdmarpc.rpc.engine.packet.PacketPosition;
import io.rdmarpc.rpc.engine.packet.Transmitter;
import io.rdmarpc.rpc.engine.session.EngineSession;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.wire.CreditWord;
import io.rdmarpc.rpc.wire.FailureText;
import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.rpc.wire.PacketType;
import io.rdmarpc.rpc.wire.ReadDescriptor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The server's outbound path: sends responses, and keeps each in its slot until the client has moved on. Engine thread
 * only.
 */
public final class ServerResponses {

    private final EngineContext context;
    private final PacketPosition position;
    private final Transmitter transmitter;
    private final EngineCounters counters;
    private final RetainedResponses retained;
    /** Whether responses carry the execution time, for clients with congestion control. */
    private final boolean reportsTime;

    public ServerResponses(EngineContext context, Transmitter transmitter, PacketPosition position) {
        this.context = context;
        this.position = position;
        this.transmitter = transmitter;
        this.counters = context.counters();
        this.retained = new RetainedResponses(this, context.timers());
        this.reportsTime = context.config().traffic().congestionControl();
    }

    /** Returns the large responses that clients have not released. */
    RetainedResponses retained() {
        return retained;
    }

    /**
     * Passes a response to the engine, from any thread. A response created while the call's packet was being handled is
     * sent first, unless other commands wait whose packets can share the datagram.
     */
    void handBack(IncomingCall call) {
        if (context.isOwnedHere() && position.isLast() && !context.commands().hasOwn()) {
            context.commands().execute(call, position.nowNanos());
        } else {
            context.submit(call);
        }
    }

    /** Handles a response. */
    void onResponse(IncomingCall call) {
        ServerSlot slot = call.slot;
        boolean expected =
                call.session.isOpen() && slot.requestIndex == call.requestIndex && slot.is(ServerSlot.State.EXECUTING);
        if (!expected) {
            counters.increment(Counter.REQUESTS_COMPLETED);
            counters.drop(Drop.LATE_RESPONSE);
            if (call.response != null) {
                call.response.free();
            }
            return;
        }
        boolean sent = call.status == RpcStatus.OK
                ? respond(call.session, slot, Expect.present(call.response), call.responseLength)
                : fail(call.session, slot, call.status, call.responseFlags, call.failure);
        if (sent) {
            slot.call = null;
            counters.increment(Counter.REQUESTS_COMPLETED);
        } else {
            // There is no packet memory now: the call is queued again for the next duty cycle.
            context.submit(call);
        }
    }

    /**
     * Sends the response to a call that was completed during its dispatch; returns false if there is no memory for it
     * now.
     */
    boolean respondAtOnce(ServerSession session, ServerSlot slot, RegisteredBlock block, int length) {
        if (!respond(session, slot, block, length)) {
            return false;
        }
        counters.increment(Counter.REQUESTS_COMPLETED);
        return true;
    }

    /** Counts a completed call whose response needs no further handling. */
    void ended() {
        counters.increment(Counter.REQUESTS_COMPLETED);
    }

    private boolean respond(ServerSession session, ServerSlot slot, RegisteredBlock block, int length) {
        if (session.fitsPacket(length)) {
            int at = block.payloadOffset() - PacketHeader.BYTES;
            writeHeader(block, at, PacketType.RESPONSE, RpcStatus.OK, 0, session, slot, length);
            send(session, slot, RpcStatus.OK, 0, block, at, length);
            return true;
        }
        RegisteredBlock control = transmitter.tryTakeBlock();
        if (control == null) {
            return false;
        }
        writeHeader(control, 0, PacketType.LARGE_RESPONSE, RpcStatus.OK, 0, session, slot, length);
        ReadDescriptor.write(
                control.memory(), PacketHeader.BYTES, block.address() + block.payloadOffset(), block.rkey());
        slot.lent = block;
        slot.sentNanos = context.clock().nanoTime();
        retained.onSent(session, slot.sentNanos);
        counters.increment(Counter.LARGE_IN_PROGRESS);
        OutgoingPacket packet =
                transmitter.acquire(session.path, control, 0, EngineSession.largePacketBytes(PacketHeader.BYTES));
        slot.response = packet;
        slot.become(ServerSlot.State.RESPONDED);
        send(packet);
        return true;
    }

    private boolean fail(ServerSession session, ServerSlot slot, RpcStatus status, int flags, FailureText failure) {
        RegisteredBlock block = transmitter.tryTakeBlock();
        if (block == null) {
            return false;
        }
        int length = failure.write(block.memory().asSlice(PacketHeader.BYTES, session.maxPacketPayload()));
        writeHeader(block, 0, PacketType.RESPONSE, status, flags, session, slot, length);
        send(session, slot, status, flags, block, 0, length);
        return true;
    }

    /**
     * Responds without having run the method. If there is no memory for the response, the client retransmits its
     * request.
     */
    void reject(ServerSession session, ServerSlot slot, RpcStatus status, String text) {
        reject(session, slot, status, 0, new FailureText("", text));
    }

    /** Reports that the method has not run and will not run. */
    void rejectStopping(ServerSession session, ServerSlot slot, String text) {
        reject(session, slot, RpcStatus.UNAVAILABLE, PacketHeader.FLAG_NOT_RUN, new FailureText("", text));
    }

    /** Rejects a call because of load. */
    void rejectForLoad(ServerSession session, ServerSlot slot, String text, int retryMillis) {
        counters.drop(Drop.OVERLOAD);
        reject(session, slot, RpcStatus.OVERLOADED, 0, new FailureText("", text, retryMillis));
    }

    private void reject(ServerSession session, ServerSlot slot, RpcStatus status, int flags, FailureText failure) {
        if (!fail(session, slot, status, flags, failure)) {
            counters.drop(Drop.NO_BUFFER);
            slot.requestIndex -= session.slots.length;
            slot.become(ServerSlot.State.RELEASED);
        }
    }

    private void writeHeader(
            RegisteredBlock block,
            long at,
            int type,
            RpcStatus status,
            int flags,
            ServerSession session,
            ServerSlot slot,
            int length) {
        session.credits.lowerIfShort();
        PacketHeader.write(
                block.memory(),
                at,
                type,
                status.code(),
                flags,
                session.peerId,
                session.cookie,
                slot.requestIndex,
                reportsTime ? withTime(session.credits.word(), slot) : session.credits.word(),
                length);
    }

    /** Adds the execution time: the time since the whole request had arrived. */
    private int withTime(int word, ServerSlot slot) {
        long nanos = context.clock().nanoTime() - slot.completeNanos;
        return CreditWord.withServed(word, TimeUnit.NANOSECONDS.toMicros(Math.max(0, nanos)));
    }

    /** Sends a response that fits a packet, whose header is at the given offset of the block. */
    private void send(
            ServerSession session,
            ServerSlot slot,
            RpcStatus status,
            int flags,
            RegisteredBlock block,
            int at,
            int length) {
        OutgoingPacket packet = transmitter.acquire(session.path, block, at, PacketHeader.BYTES + length);
        boolean copied = slot.retainCopy(status, flags, block.memory(), at + PacketHeader.BYTES, length);
        slot.become(ServerSlot.State.RESPONDED);
        if (copied) {
            sendUnowned(packet);
        } else {
            slot.response = packet;
            send(packet);
        }
    }

    /** Sends a packet whose memory is free when it has left. */
    private void sendUnowned(OutgoingPacket packet) {
        if (position.isLast()) {
            transmitter.sendOnceNow(packet);
        } else {
            transmitter.sendOnce(packet);
        }
    }

    private void send(OutgoingPacket packet) {
        if (position.isLast()) {
            transmitter.sendAtOnce(packet);
        } else {
            transmitter.send(packet);
        }
    }

    /**
     * Sends a response again because the client has not received it. A retained packet is not sent again before it has
     * left. A copy leaves in a new packet, unless packets wait for room in the send queue.
     */
    void resend(ServerSession session, ServerSlot slot) {
        if (slot.hasCopy()) {
            resendCopy(session, slot);
            return;
        }
        OutgoingPacket packet = Expect.present(slot.response);
        if (!transmitter.isAtNic(packet)) {
            transmitter.send(packet);
        }
    }

    private void resendCopy(ServerSession session, ServerSlot slot) {
        if (transmitter.isStalled()) {
            // The earlier packet may be among those that wait for room. Otherwise the client retransmits again.
            return;
        }
        RegisteredBlock block = transmitter.tryTakeBlock();
        if (block == null) {
            counters.drop(Drop.NO_BUFFER);
            return;
        }
        int length = slot.writeCopy(block.memory(), PacketHeader.BYTES);
        writeHeader(block, 0, PacketType.RESPONSE, slot.copyStatus(), slot.copyFlags(), session, slot, length);
        transmitter.sendOnce(transmitter.acquire(session.path, block, 0, PacketHeader.BYTES + length));
    }

    /** Reports to a client that retransmits a request that its call is known. */
    void sendProgress(ServerSession session, long requestIndex, boolean requestRead) {
        RegisteredBlock block = transmitter.tryTakeBlock();
        if (block == null) {
            counters.drop(Drop.NO_BUFFER);
            return;
        }
        PacketHeader.write(
                block.memory(),
                0,
                PacketType.PROGRESS,
                0,
                requestRead ? PacketHeader.FLAG_REQUEST_READ : 0,
                session.peerId,
                session.cookie,
                requestIndex,
                session.credits.word(),
                0);
        transmitter.sendOnce(transmitter.acquire(session.path, block, 0, PacketHeader.BYTES));
    }

    /** Ends the use of a slot by its call: frees a retained response, and drops a later one. */
    void release(ServerSlot slot) {
        if (slot.is(ServerSlot.State.READING)) {
            return;
        }
        @Nullable IncomingCall call = slot.call;
        if (call != null) {
            slot.call = null;
            call.cancel();
        }
        slot.dropCopy();
        @Nullable OutgoingPacket response = slot.response;
        if (response != null) {
            transmitter.release(response);
            slot.response = null;
        }
        @Nullable RegisteredBlock lent = slot.lent;
        if (lent != null) {
            lent.free();
            slot.lent = null;
            counters.add(Counter.LARGE_IN_PROGRESS, -1);
        }
        slot.become(ServerSlot.State.RELEASED);
    }

    /** Frees all retained responses of a session that has ended. */
    void releaseAll(ServerSession session) {
        retained.stop(session);
        for (ServerSlot slot : session.slots) {
            if (slot != null) {
                release(slot);
            }
        }
    }
}
