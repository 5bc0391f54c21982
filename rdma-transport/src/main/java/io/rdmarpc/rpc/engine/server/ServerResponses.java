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

/** Server, way out: answers go out and stay in their slot until the client has moved on. Engine thread only. */
public final class ServerResponses {

    private final EngineContext context;
    private final PacketPosition position;
    private final Transmitter transmitter;
    private final EngineCounters counters;
    /** Clients with congestion control want to know how long their calls were here. */
    private final boolean tellsTime;

    public ServerResponses(EngineContext context, Transmitter transmitter, PacketPosition position) {
        this.context = context;
        this.position = position;
        this.transmitter = transmitter;
        this.counters = context.counters();
        this.tellsTime = context.config().traffic().congestionControl();
    }

    /**
     * Brings a response to the engine, from any thread. One that was given where the call's packet was taken leaves before anything
     * else is done, unless others wait that can share its packet.
     */
    void handBack(IncomingCall call) {
        if (context.isOwnedHere() && position.isLast() && !context.commands().hasOwn()) {
            context.commands().execute(call, position.nowNanos());
        } else {
            context.submit(call);
        }
    }

    /** A handler has answered. */
    void onAnswer(IncomingCall call) {
        ServerSlot slot = call.slot;
        boolean wanted =
                call.session.isOpen() && slot.requestIndex == call.requestIndex && slot.is(ServerSlot.State.EXECUTING);
        if (!wanted) {
            counters.increment(Counter.REQUESTS_ANSWERED);
            counters.drop(Drop.LATE_ANSWER);
            if (call.answer != null) {
                call.answer.free();
            }
            return;
        }
        boolean sent = call.status == RpcStatus.OK
                ? answer(call.session, slot, Expect.present(call.answer), call.answerLength)
                : fail(call.session, slot, call.status, call.responseFlags, call.failure);
        if (sent) {
            slot.call = null;
            counters.increment(Counter.REQUESTS_ANSWERED);
        } else {
            // No packet memory now: the call queues up again and is looked at in the next turn of the loop.
            context.submit(call);
        }
    }

    /** A call was answered while it was dispatched; false when there is no memory for it now. */
    boolean answerAtOnce(ServerSession session, ServerSlot slot, RegisteredBlock block, int length) {
        if (!answer(session, slot, block, length)) {
            return false;
        }
        counters.increment(Counter.REQUESTS_ANSWERED);
        return true;
    }

    /** A call has run, and nothing is done about its answer any more. */
    void ended() {
        counters.increment(Counter.REQUESTS_ANSWERED);
    }

    private boolean answer(ServerSession session, ServerSlot slot, RegisteredBlock block, int length) {
        if (session.fitsPacket(length)) {
            int at = block.payloadOffset() - PacketHeader.BYTES;
            writeHeader(block, at, PacketType.RESPONSE, RpcStatus.OK, 0, session, slot, length);
            send(session, slot, block, at, PacketHeader.BYTES + length);
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
        slot.answeredNanos = context.clock().nanoTime();
        session.keptAnswers.onSent(slot.answeredNanos);
        counters.increment(Counter.LARGE_UNDER_WAY);
        send(session, slot, control, 0, EngineSession.largePacketBytes(PacketHeader.BYTES));
        return true;
    }

    private boolean fail(ServerSession session, ServerSlot slot, RpcStatus status, int flags, FailureText failure) {
        RegisteredBlock block = transmitter.tryTakeBlock();
        if (block == null) {
            return false;
        }
        int length = failure.write(block.memory().asSlice(PacketHeader.BYTES, session.maxPacketPayload()));
        writeHeader(block, 0, PacketType.RESPONSE, status, flags, session, slot, length);
        send(session, slot, block, 0, PacketHeader.BYTES + length);
        return true;
    }

    /** Answers without having run the method; without memory for that the client asks again. */
    void refuse(ServerSession session, ServerSlot slot, RpcStatus status, String text) {
        refuse(session, slot, status, 0, new FailureText("", text));
    }

    /** Has not run the method, and will not. */
    void refuseStopping(ServerSession session, ServerSlot slot, String text) {
        refuse(session, slot, RpcStatus.UNAVAILABLE, PacketHeader.FLAG_NOT_RUN, new FailureText("", text));
    }

    /** Sheds load. */
    void refuseForLoad(ServerSession session, ServerSlot slot, String text, int retryMillis) {
        counters.drop(Drop.OVERLOAD);
        refuse(session, slot, RpcStatus.OVERLOADED, 0, new FailureText("", text, retryMillis));
    }

    private void refuse(ServerSession session, ServerSlot slot, RpcStatus status, int flags, FailureText failure) {
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
                tellsTime ? withTime(session.credits.word(), slot) : session.credits.word(),
                length);
    }

    /** How long the call was here since all of it had come. */
    private int withTime(int word, ServerSlot slot) {
        long nanos = context.clock().nanoTime() - slot.completeNanos;
        return CreditWord.withServed(word, TimeUnit.NANOSECONDS.toMicros(Math.max(0, nanos)));
    }

    private void send(ServerSession session, ServerSlot slot, RegisteredBlock block, long at, int length) {
        OutgoingPacket packet = transmitter.acquire(session.path, block, at, length);
        slot.answer = packet;
        slot.become(ServerSlot.State.ANSWERED);
        if (position.isLast()) {
            transmitter.sendAtOnce(packet);
        } else {
            transmitter.send(packet);
        }
    }

    /** The client has not seen the answer: it goes out again, unless a copy has not even left. */
    void repeat(ServerSlot slot) {
        OutgoingPacket packet = Expect.present(slot.answer);
        if (!transmitter.isAtNic(packet)) {
            transmitter.send(packet);
        }
    }

    /** Tells a client that asks again that its call is known. */
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

    /** The client is done with this slot's call: a kept answer is freed, a later one will be dropped. */
    void release(ServerSlot slot) {
        if (slot.is(ServerSlot.State.READING)) {
            return;
        }
        @Nullable IncomingCall call = slot.call;
        if (call != null) {
            slot.call = null;
            call.cancel();
        }
        @Nullable OutgoingPacket answer = slot.answer;
        if (answer != null) {
            transmitter.release(answer);
            slot.answer = null;
        }
        @Nullable RegisteredBlock lent = slot.lent;
        if (lent != null) {
            lent.free();
            slot.lent = null;
            counters.add(Counter.LARGE_UNDER_WAY, -1);
        }
        slot.become(ServerSlot.State.RELEASED);
    }

    /** The session is over: all kept answers are freed. */
    void releaseAll(ServerSession session) {
        session.keptAnswers.stop();
        for (ServerSlot slot : session.slots) {
            release(slot);
        }
    }
}
