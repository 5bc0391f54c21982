package io.rdmarpc.rpc.engine.client;

import io.rdmarpc.concurrent.FailureLog;
import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.ObservedResponseHandler;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.engine.context.EngineCommand;
import io.rdmarpc.rpc.engine.context.Expect;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.message.InboundMessage;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A call that a caller's thread submits to the engine. It ends exactly once. It is recycled when the engine no longer
 * refers to it. Callers hold other objects, and therefore never see a later call in the same object.
 */
final class Call extends EngineCommand {

    private static final FailureLog FAILURES = new FailureLog(System.getLogger(Call.class.getName()));

    private static final VarHandle FREE = freeHandle();
    /** Number of a call that belongs to a prepared call. */
    private static final int OWN = -2;
    /** Number of a call of {@link LoopCalls}. */
    private static final int LOOP = -3;

    /** Changes only between two uses of the object, in {@link LoopCalls}. */
    ClientSession session;

    private final int number;
    private int below;
    int methodId;
    int length;
    /** Whether the message begins with a metadata block. */
    boolean metadata;

    long timeoutNanos;
    /** Set by {@link #begin}. */
    long deadlineNanos;

    private @Nullable RegisteredBlock request;
    private @Nullable ResponseHandler handler;
    private boolean begun;
    private boolean ended;
    /** Whether the engine no longer refers to an {@linkplain #own own} call. */
    @SuppressWarnings("UnusedVariable") // read through FREE
    private boolean free;

    /** Creates a call of a pool; number -1 marks a call that belongs to no pool and is not recycled. */
    Call(ClientSession session, int number) {
        this.session = session;
        this.number = number;
    }

    /** Creates the call of a prepared call, which reuses it. */
    static Call own(ClientSession session) {
        Call own = new Call(session, OWN);
        own.free = true;
        return own;
    }

    /** Creates a call of {@link LoopCalls}, which calls of other sessions reuse. */
    static Call ofLoop(ClientSession session) {
        return new Call(session, LOOP);
    }

    /** Sets the session of the next use. An equal reference is not stored, because with G1 each store costs a fence. */
    void use(ClientSession next) {
        if (session != next) {
            session = next;
        }
    }

    private static VarHandle freeHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(Call.class, "free", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * Takes the call for its next use. Returns false while the engine still refers to it. Only one thread at a time may
     * call this method.
     */
    boolean tryTake() {
        if (!(boolean) FREE.getAcquire(this)) {
            return false;
        }
        free = false;
        return true;
    }

    /**
     * Returns the number of the call below this one in the stack of a {@link CallPool}. A plain field: a value read
     * during another thread's write is not used, because the change count in the stack's head differs by then.
     */
    int below() {
        return below;
    }

    void below(int number) {
        below = number;
    }

    /** Initializes this object for a new call. */
    Call of(int method, RegisteredBlock block, int bytes, long timeout, ResponseHandler notified) {
        methodId = method;
        request = block;
        length = bytes;
        timeoutNanos = timeout;
        handler = notified;
        begun = false;
        ended = false;
        return this;
    }

    /** Sets the start time, from which the timeout counts. */
    void begin(long startNanos) {
        begun = true;
        deadlineNanos = startNanos + timeoutNanos;
        session.usedAt(startNanos);
    }

    /** Sets the start time to now, unless it is set; returns the start time. */
    long beginBy(NanoClock clock) {
        if (!begun) {
            begin(clock.nanoTime());
        }
        return begunNanos();
    }

    int number() {
        return number;
    }

    /** Sets the block to which the request was moved. */
    void moveTo(RegisteredBlock block) {
        request = block;
    }

    RegisteredBlock request() {
        return Expect.present(request);
    }

    /** Returns the prepared call to which this call belongs, or null. */
    @Nullable
    PreparedCall prepared() {
        return handler instanceof PreparedCall prepared ? prepared : null;
    }

    @Override
    public void execute(long nowNanos) {
        session.calls().submit(this, nowNanos);
    }

    /** Returns the time at which the caller began the call. */
    long begunNanos() {
        return deadlineNanos - timeoutNanos;
    }

    boolean hasExpired(long nowNanos) {
        return nowNanos - deadlineNanos >= 0;
    }

    @SuppressWarnings("ReferenceEquality") // identity of the handler
    boolean isFor(ResponseHandler other) {
        return handler == other;
    }

    boolean hasEnded() {
        return ended;
    }

    /** Notifies an observer that the request was sent or queued to be sent. */
    void sent() {
        if (handler instanceof ObservedResponseHandler observer) {
            if (session.notifiesLater()) {
                session.notifyLater(() -> notifySent(observer));
            } else {
                notifySent(observer);
            }
        }
    }

    private static void notifySent(ObservedResponseHandler observer) {
        try {
            observer.onSend();
        } catch (Throwable e) {
            reportThrown(e);
        }
    }

    private static void reportThrown(Throwable e) {
        FAILURES.report("a response handler threw an exception, which it must not", e);
    }

    void succeed(InboundMessage response) {
        ResponseHandler notified = end();
        if (notified == null) {
            response.close();
            return;
        }
        if (session.notifiesLater()) {
            session.notifyLater(() -> notifyHandler(notified, response));
        } else {
            notifyHandler(notified, response);
        }
    }

    private static void notifyHandler(ResponseHandler notified, InboundMessage response) {
        try {
            notified.onResponse(response);
        } catch (Throwable e) {
            response.close();
            reportThrown(e);
        }
    }

    /** Ends the call without notifying the handler, because another object notifies the caller. */
    void endSilently() {
        end();
    }

    void fail(RdmaRpcException failure) {
        ResponseHandler notified = end();
        if (notified == null) {
            return;
        }
        if (notified instanceof PreparedCall || !session.notifiesLater()) {
            notifyHandler(notified, failure);
        } else {
            session.notifyLater(() -> notifyHandler(notified, failure));
        }
    }

    private static void notifyHandler(ResponseHandler notified, RdmaRpcException failure) {
        try {
            notified.onFailure(failure);
        } catch (Throwable e) {
            reportThrown(e);
        }
    }

    /** Returns the handler to notify, or null if the call has already ended. */
    private @Nullable ResponseHandler end() {
        ResponseHandler notified = handler;
        if (ended) {
            return null;
        }
        ended = true;
        handler = null;
        session.callEnded();
        return notified;
    }

    /** Frees the object, to which the engine no longer refers. */
    void recycle() {
        request = null;
        handler = null;
        if (number == OWN) {
            FREE.setRelease(this, true);
        } else if (number == LOOP) {
            session.recycleOfLoop(this);
        } else {
            session.recycle(this);
        }
    }
}
