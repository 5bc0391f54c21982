package io.rdmarpc.service.client;

import io.rdmarpc.rpc.AwaitedResponseHandler;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Response handler of a caller that blocks. The blocking thread creates it, and may be a virtual thread. */
final class BlockingCall implements AwaitedResponseHandler {

    /**
     * How long after the deadline the caller still waits for the engine to end the call. The polling thread may be
     * stuck, for example in an inline method that blocks.
     */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final Object ABANDONED = new Object();

    private final Thread caller = Thread.currentThread();

    /** Null while waiting. Afterwards the response, the failure, or {@link #ABANDONED}. */
    private final AtomicReference<@Nullable Object> end = new AtomicReference<>();

    private long dueNanos;

    @Override
    public void onResponse(InboundMessage response) {
        if (end.compareAndSet(null, response)) {
            wakeCaller();
        } else {
            response.close();
        }
    }

    @Override
    public void onFailure(RdmaRpcException failure) {
        if (end.compareAndSet(null, failure)) {
            wakeCaller();
        }
    }

    /** Does not unpark if the caller itself ran the event loop and received the response. */
    @SuppressWarnings("ReferenceEquality") // thread identity
    private void wakeCaller() {
        if (Thread.currentThread() != caller) {
            LockSupport.unpark(caller);
        }
    }

    @Override
    public boolean hasEnded() {
        return end.get() != null;
    }

    /** Sets the time at which the engine ends the call. The caller sets it before it sends the call. */
    void isDueAt(long deadlineNanos) {
        dueNanos = deadlineNanos;
    }

    /** Waits for the end of a call, unless the session has already waited. The caller closes the response. */
    InboundMessage await(RpcSession session) {
        Object seen = end.get();
        return result(seen == null ? park(session) : seen);
    }

    private Object park(RpcSession session) {
        long latest = dueNanos + GRACE_NANOS;
        Object seen;
        while ((seen = end.get()) == null) {
            LockSupport.parkNanos(this, latest - System.nanoTime());
            if (Thread.interrupted()) {
                Thread.currentThread().interrupt();
                abandon(
                        session,
                        new RdmaRpcException(
                                RpcStatus.CANCELLED,
                                "the caller was interrupted while it waited for the response;"
                                        + " the method may have run"));
            } else if (System.nanoTime() - latest >= 0) {
                abandon(
                        session,
                        new RdmaTimeoutException(
                                "the polling thread did not end the call at its deadline: it is stuck or stopped;"
                                        + " a method with execution = INLINE must not block"));
            }
        }
        return seen;
    }

    /** Throws the reason, unless the call has ended in the meantime. */
    private void abandon(RpcSession session, RdmaRpcException reason) {
        if (end.compareAndSet(null, ABANDONED)) {
            session.cancel(this);
            throw reason;
        }
    }

    /**
     * Returns whether the caller stopped waiting before the engine ended the call. The server may still run the call.
     */
    boolean isAbandoned() {
        return ABANDONED.equals(end.get());
    }

    private static InboundMessage result(Object end) {
        if (end instanceof RdmaRpcException failure) {
            throw failure;
        }
        if (end instanceof InboundMessage response) {
            return response;
        }
        throw new IllegalStateException("the response was already taken: await a call only once");
    }
}
