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
 * A call on its way from the caller's thread into the engine and back. Ends exactly once, and is recycled when the engine
 * refers to it no more; what callers hold is something else, so they never meet another call in its place.
 */
final class Call extends EngineCommand {

    private static final FailureLog FAILURES = new FailureLog(System.getLogger(Call.class.getName()));

    private static final VarHandle FREE = freeHandle();
    /** Number of the call that a prepared one has for itself. */
    private static final int OWN = -2;

    final ClientSession session;
    private final int number;
    int methodId;
    int length;
    /** The message begins with a block of it. */
    boolean metadata;

    long timeoutNanos;
    /** From {@link #begin} on. */
    long deadlineNanos;

    private @Nullable RegisteredBlock request;
    private @Nullable ResponseHandler handler;
    private boolean begun;
    private boolean ended;
    /** Of a {@link #own} one: the engine does not refer to it. */
    @SuppressWarnings("UnusedVariable") // read through FREE
    private boolean free;

    /** Makes a call of a pool; -1 says that it is nobody's and not recycled. */
    Call(ClientSession session, int number) {
        this.session = session;
        this.number = number;
    }

    /** Makes the call of a prepared one, which keeps it for its next time. */
    static Call own(ClientSession session) {
        Call own = new Call(session, OWN);
        own.free = true;
        return own;
    }

    private static VarHandle freeHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(Call.class, "free", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Takes an own call for its next life; false while the engine still refers to it. By one thread at a time. */
    boolean tryTake() {
        if (!(boolean) FREE.getAcquire(this)) {
            return false;
        }
        free = false;
        return true;
    }

    /** Starts a life of this object. */
    Call of(int method, RegisteredBlock block, int bytes, long timeout, ResponseHandler told) {
        methodId = method;
        request = block;
        length = bytes;
        timeoutNanos = timeout;
        handler = told;
        begun = false;
        ended = false;
        return this;
    }

    /** Says since when it is made; its time-out counts from then. */
    void begin(long startNanos) {
        begun = true;
        deadlineNanos = startNanos + timeoutNanos;
        session.usedAt(startNanos);
    }

    /** Begins now, unless it has begun before; returns when that was. */
    long beginBy(NanoClock clock) {
        if (!begun) {
            begin(clock.nanoTime());
        }
        return begunNanos();
    }

    int number() {
        return number;
    }

    /** Its request is in other memory now. */
    void moveTo(RegisteredBlock block) {
        request = block;
    }

    RegisteredBlock request() {
        return Expect.present(request);
    }

    /** The caller's own object when it has one for many calls, else null. */
    @Nullable
    PreparedCall prepared() {
        return handler instanceof PreparedCall prepared ? prepared : null;
    }

    @Override
    public void execute(long nowNanos) {
        session.calls().submit(this, nowNanos);
    }

    /** When its caller has begun to make it. */
    long begunNanos() {
        return deadlineNanos - timeoutNanos;
    }

    boolean hasExpired(long nowNanos) {
        return nowNanos - deadlineNanos >= 0;
    }

    @SuppressWarnings("ReferenceEquality") // that very one
    boolean isFor(ResponseHandler other) {
        return handler == other;
    }

    boolean hasEnded() {
        return ended;
    }

    /** Tells those who want to know that the call has left the queue. */
    void sent() {
        if (handler instanceof ObservedResponseHandler observer) {
            if (session.tellsLater()) {
                session.tellLater(() -> tellSent(observer));
            } else {
                tellSent(observer);
            }
        }
    }

    private static void tellSent(ObservedResponseHandler observer) {
        try {
            observer.onSend();
        } catch (Throwable e) {
            threw(e);
        }
    }

    private static void threw(Throwable e) {
        FAILURES.report("a response handler threw; it must not", e);
    }

    void succeed(InboundMessage response) {
        ResponseHandler told = end();
        if (told == null) {
            response.close();
            return;
        }
        if (session.tellsLater()) {
            session.tellLater(() -> tell(told, response));
        } else {
            tell(told, response);
        }
    }

    private static void tell(ResponseHandler told, InboundMessage response) {
        try {
            told.onResponse(response);
        } catch (Throwable e) {
            response.close();
            threw(e);
        }
    }

    /** It has ended, and whoever made it is told by somebody else. */
    void endUntold() {
        end();
    }

    void fail(RdmaRpcException failure) {
        ResponseHandler told = end();
        if (told == null) {
            return;
        }
        if (told instanceof PreparedCall || !session.tellsLater()) {
            tell(told, failure);
        } else {
            session.tellLater(() -> tell(told, failure));
        }
    }

    private static void tell(ResponseHandler told, RdmaRpcException failure) {
        try {
            told.onFailure(failure);
        } catch (Throwable e) {
            threw(e);
        }
    }

    /** Returns whom to tell, null when that was done before. */
    private @Nullable ResponseHandler end() {
        ResponseHandler told = handler;
        if (ended) {
            return null;
        }
        ended = true;
        handler = null;
        session.callEnded();
        return told;
    }

    /** The engine refers to this call no more. */
    void recycle() {
        request = null;
        handler = null;
        if (number == OWN) {
            FREE.setRelease(this, true);
        } else {
            session.recycle(this);
        }
    }
}
