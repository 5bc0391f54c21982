package io.rdmarpc.rpc.engine.client;

import io.rdmarpc.concurrent.FailureLog;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcCall;
import io.rdmarpc.rpc.engine.packet.ReceiveRingLedger;
import io.rdmarpc.rpc.engine.packet.ReceivedHeader;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.message.MessageView;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A caller's own call. The engine writes the answer here and publishes it with the state; until then nothing of it is the
 * caller's.
 */
@SuppressWarnings("ReferenceEquality") // a thread is itself and no other
public final class PreparedCall implements RpcCall, ResponseHandler, MessageView, CallWaiter.Ending {

    private static final FailureLog FAILURES = new FailureLog(System.getLogger(PreparedCall.class.getName()));

    // Numbers, for each reference that is stored costs a fence with G1.
    private static final int IDLE = 0;
    private static final int UNDER_WAY = 1;
    private static final int ENDED = 2;
    private static final int CLOSED = 3;

    private static final VarHandle STATE = stateHandle();

    private final ClientSession session;
    private final Call own;
    private final CallWaiter callers;
    private final ReceiveRingLedger ring;
    private final End end;
    private @Nullable MessageBuffer request;
    private volatile int state = IDLE;
    /** Its caller owned the loop when it started the call, and waits. */
    private boolean startedByOwner;

    private volatile @Nullable Thread waiter;

    // The answer: an entry of the receive ring, or a message of its own when it is large or was copied. Where there is
    // neither the memory means nothing; it stays, for the next answer is in the same most of the time.
    private MemorySegment memory = MemorySegment.NULL;
    private long offset;
    private int length;
    private int entry = ReceiveRingLedger.NO_ENTRY;
    private @Nullable InboundMessage message;
    private @Nullable RdmaRpcException failure;

    PreparedCall(ClientSession session, CallWaiter callers, ReceiveRingLedger ring, End end) {
        this.session = session;
        this.own = Call.own(session);
        this.callers = callers;
        this.ring = ring;
        this.end = end;
    }

    private static VarHandle stateHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(PreparedCall.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @Override
    public MessageBuffer request(int capacityBytes) {
        if (state == UNDER_WAY || state == CLOSED) {
            throw wrongState();
        }
        MessageBuffer opened = session.open(request, capacityBytes);
        if (request != opened) {
            request = opened;
        }
        return opened;
    }

    @Override
    public void start(int methodId, long timeoutNanos) {
        start(methodId, timeoutNanos, false);
    }

    /** Starts the call. Its caller owns the loop and waits, or does not. */
    public void start(int methodId, long timeoutNanos, boolean byOwner) {
        MessageBuffer ready = request;
        if (state == UNDER_WAY || state == CLOSED || ready == null || !ready.isOpen()) {
            throw wrongState();
        }
        leaveAnswer();
        startedByOwner = byOwner;
        STATE.setRelease(this, UNDER_WAY);
        session.callNow(methodId, ready, timeoutNanos, this, byOwner);
    }

    @Override
    public MessageView call(int methodId, long timeoutNanos) {
        boolean owns = callers.enter();
        boolean started = false;
        try {
            start(methodId, timeoutNanos, owns);
            started = true;
        } finally {
            if (!started) {
                callers.cancel(owns);
            }
        }
        callers.await(this, owns, timeoutNanos);
        if (!hasEnded()) {
            throw notEnded();
        }
        return response();
    }

    /** Why a caller stops waiting before its call has ended. */
    private static RdmaRpcException notEnded() {
        return Thread.currentThread().isInterrupted()
                ? new RdmaRpcException(
                        RpcStatus.CANCELLED, "the caller was interrupted while it waited; the method may have run")
                : new RdmaTimeoutException("the engine did not end the call in time: it is stuck or stopped;"
                        + " a handler that runs on the polling thread must not block");
    }

    private IllegalStateException wrongState() {
        return new IllegalStateException(
                switch (state) {
                    case UNDER_WAY -> "the call is under way: wait for its end";
                    case CLOSED -> "the call is closed: prepare another one";
                    default -> "there is no request: call request() and fill it first";
                });
    }

    /** The call that it has for itself; null while an earlier one that was given up is still in the engine. */
    @Nullable
    Call tryTakeOwn() {
        return own.tryTake() ? own : null;
    }

    @Override
    public boolean hasEnded() {
        return state == ENDED;
    }

    @Override
    public void wakes(@Nullable Thread asleep) {
        waiter = asleep;
    }

    @Override
    public MessageView response() {
        if (state != ENDED) {
            throw new IllegalStateException("there is no answer: the call is under way, or its answer was released");
        }
        if (failure != null) {
            throw failure;
        }
        return this;
    }

    @Override
    public void release() {
        if (state == ENDED) {
            leaveAnswer();
            STATE.setRelease(this, IDLE);
        }
    }

    /** Forgets the answer; its memory goes back. */
    private void leaveAnswer() {
        if (entry != ReceiveRingLedger.NO_ENTRY) {
            ring.giveBack(entry);
            entry = ReceiveRingLedger.NO_ENTRY;
        }
        length = 0;
        failure = null;
        InboundMessage own = message;
        if (own != null) {
            message = null;
            own.close();
        }
    }

    @Override
    public void close() {
        do {
            release();
        } while (!STATE.compareAndSet(this, IDLE, CLOSED)
                && !STATE.compareAndSet(this, UNDER_WAY, CLOSED)
                && state != CLOSED);
        MessageBuffer unsent = request;
        if (unsent != null && unsent.isOpen()) {
            unsent.close();
        }
    }

    // ---- the view of the answer ----

    @Override
    public MemorySegment memory() {
        return entry == ReceiveRingLedger.NO_ENTRY && message == null ? MemorySegment.NULL : memory;
    }

    @Override
    public long offset() {
        return offset;
    }

    @Override
    public int length() {
        return length;
    }

    // ---- the end, on the engine thread ----

    /** Returns whether the caller owned the loop when it started the call, and waits. */
    boolean isStartedByOwner() {
        return startedByOwner;
    }

    /** The answer is in the receive ring. */
    void onPacket(ReceivedHeader packet) {
        if (!ring.tryLend()) {
            InboundMessage copy = ring.copy(packet.payloadAt, packet.payloadBytes);
            ring.release(packet.entry);
            onResponse(copy);
            return;
        }
        show(ring.memory());
        offset = packet.payloadAt;
        length = packet.payloadBytes;
        entry = packet.entry;
        tell();
    }

    @Override
    public void onResponse(InboundMessage response) {
        message = response;
        show(response.payload());
        offset = 0;
        length = response.length();
        tell();
    }

    @Override
    public void onFailure(RdmaRpcException reason) {
        failure = reason;
        tell();
    }

    @SuppressWarnings({"ReferenceEquality", "MemorySegmentReferenceEquality"}) // that very view
    private void show(MemorySegment answer) {
        if (memory != answer) {
            memory = answer;
        }
    }

    private void tell() {
        if (!STATE.compareAndSet(this, UNDER_WAY, ENDED)) {
            leaveAnswer();
            return;
        }
        Thread asleep = waiter;
        if (asleep != null && asleep != Thread.currentThread()) {
            LockSupport.unpark(asleep);
        }
        if (session.tellsLater()) {
            session.tellLater(this::tellEnd);
        } else {
            tellEnd();
        }
    }

    private void tellEnd() {
        try {
            end.onEnd(this);
        } catch (Throwable e) {
            FAILURES.report("the end of a call was told to something that threw; it must not", e);
        }
    }
}
