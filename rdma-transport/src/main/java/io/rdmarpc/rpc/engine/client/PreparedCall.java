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
 * A call that its caller reuses. The engine writes the response into this object and publishes it with the state. Until
 * then the caller must not access the response.
 */
@SuppressWarnings("ReferenceEquality") // identity of the thread
public final class PreparedCall implements RpcCall, ResponseHandler, MessageView, CallWaiter.Ending {

    private static final FailureLog FAILURES = new FailureLog(System.getLogger(PreparedCall.class.getName()));

    // Numbers, because with G1 each stored reference costs a fence.
    private static final int IDLE = 0;
    private static final int IN_PROGRESS = 1;
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
    /** Whether the caller owned the loop when it started the call, and now waits for its end. */
    private boolean startedByOwner;

    private volatile @Nullable Thread waiter;

    // The response: an entry of the receive ring, or a message of its own if it is large or was copied. Without either,
    // the value of memory has no meaning. It is not cleared, because the next response is usually in the same memory.
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
        if (state == IN_PROGRESS || state == CLOSED) {
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

    /** Starts the call. {@code byOwner} is true if its caller owns the loop and waits. */
    public void start(int methodId, long timeoutNanos, boolean byOwner) {
        MessageBuffer ready = request;
        if (state == IN_PROGRESS || state == CLOSED || ready == null || !ready.isOpen()) {
            throw wrongState();
        }
        clearResponse();
        startedByOwner = byOwner;
        STATE.setRelease(this, IN_PROGRESS);
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

    /** Returns the exception for a caller that stops waiting before its call has ended. */
    private static RdmaRpcException notEnded() {
        return Thread.currentThread().isInterrupted()
                ? new RdmaRpcException(
                        RpcStatus.CANCELLED, "the caller was interrupted while it waited; the method may have run")
                : new RdmaTimeoutException("the engine did not end the call in time, because it is blocked or stopped:"
                        + " a handler that runs on the polling thread must not block");
    }

    private IllegalStateException wrongState() {
        return new IllegalStateException(
                switch (state) {
                    case IN_PROGRESS -> "the call is in progress: wait for its end";
                    case CLOSED -> "the call is closed: prepare another one";
                    default -> "there is no request: call request() and fill it first";
                });
    }

    /**
     * Returns the call that belongs to this object; null while the engine still has an earlier one that was cancelled or
     * timed out.
     */
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
            throw new IllegalStateException(
                    "there is no response: the call is in progress, or its response was released");
        }
        if (failure != null) {
            throw failure;
        }
        return this;
    }

    @Override
    public void release() {
        if (state == ENDED) {
            clearResponse();
            STATE.setRelease(this, IDLE);
        }
    }

    /** Releases the response and its memory. */
    private void clearResponse() {
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
                && !STATE.compareAndSet(this, IN_PROGRESS, CLOSED)
                && state != CLOSED);
        MessageBuffer unsent = request;
        if (unsent != null && unsent.isOpen()) {
            unsent.close();
        }
    }

    // ---- the view of the response ----

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

    /** Returns whether the caller owned the loop when it started the call, and now waits for its end. */
    boolean isStartedByOwner() {
        return startedByOwner;
    }

    /** Handles a response that is in the receive ring. */
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
        publish();
    }

    @Override
    public void onResponse(InboundMessage response) {
        message = response;
        show(response.payload());
        offset = 0;
        length = response.length();
        publish();
    }

    @Override
    public void onFailure(RdmaRpcException reason) {
        failure = reason;
        publish();
    }

    @SuppressWarnings({"ReferenceEquality", "MemorySegmentReferenceEquality"}) // identity of the view
    private void show(MemorySegment view) {
        if (memory != view) {
            memory = view;
        }
    }

    private void publish() {
        if (!STATE.compareAndSet(this, IN_PROGRESS, ENDED)) {
            clearResponse();
            return;
        }
        Thread asleep = waiter;
        if (asleep != null && asleep != Thread.currentThread()) {
            LockSupport.unpark(asleep);
        }
        if (session.notifiesLater()) {
            session.notifyLater(this::notifyEnd);
        } else {
            notifyEnd();
        }
    }

    private void notifyEnd() {
        try {
            end.onEnd(this);
        } catch (Throwable e) {
            FAILURES.report("the end listener of a call threw an exception, which it must not", e);
        }
    }
}
