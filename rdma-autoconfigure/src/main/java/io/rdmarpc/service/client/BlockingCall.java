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

/** A caller that waits. Made by the thread that will wait, which may be virtual. */
final class BlockingCall implements AwaitedResponseHandler {

    /**
     * The engine ends a call at its deadline. Should the polling thread be stuck, in an inline method that blocks perhaps, the
     * caller goes this much later.
     */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final Object ABANDONED = new Object();

    private final Thread caller = Thread.currentThread();

    /** Null while waiting; then the response, the failure, or {@link #ABANDONED}. */
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

    /** It may be the one that has turned the engine until here. */
    @SuppressWarnings("ReferenceEquality") // a thread is itself and no other
    private void wakeCaller() {
        if (Thread.currentThread() != caller) {
            LockSupport.unpark(caller);
        }
    }

    @Override
    public boolean hasEnded() {
        return end.get() != null;
    }

    /** Says until when the engine ends the call; by the caller, before it is made. */
    void isDueAt(long deadlineNanos) {
        dueNanos = deadlineNanos;
    }

    /** Waits for the end of a call on a session, unless the session has done so; the response is the caller's to close. */
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
                                "the caller was interrupted while it waited; the method may have run"));
            } else if (System.nanoTime() - latest >= 0) {
                abandon(
                        session,
                        new RdmaTimeoutException(
                                "the polling thread did not end the call in time: it is stuck or stopped;"
                                        + " a method with execution = INLINE must not block"));
            }
        }
        return seen;
    }

    /** Throws, unless the end has come in the meantime. */
    private void abandon(RpcSession session, RdmaRpcException reason) {
        if (end.compareAndSet(null, ABANDONED)) {
            session.cancel(this);
            throw reason;
        }
    }

    /** The caller went before the engine has ended the call, which says nothing about the other side. */
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
        throw new IllegalStateException("a call can be waited for once");
    }
}
