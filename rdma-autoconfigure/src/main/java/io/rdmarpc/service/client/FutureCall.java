package io.rdmarpc.service.client;

import io.rdmarpc.rpc.InboundMessage;
import io.rdmarpc.rpc.RdmaUnavailableException;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcException;
import io.rdmarpc.rpc.RpcSession;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** A caller that got a future. Whatever takes time, or runs the caller's code, stays off the polling thread. */
final class FutureCall implements ResponseHandler {

    private final ClientMethod method;
    private final Executor completions;
    private final long startNanos = System.nanoTime();
    private final CompletableFuture<@Nullable Object> future = new CancellingFuture();
    /** Null until the call was sent. */
    private volatile @Nullable RpcSession session;

    FutureCall(ClientMethod method, Executor completions) {
        this.method = method;
        this.completions = completions;
    }

    CompletableFuture<@Nullable Object> start(@Nullable Object @Nullable [] args) {
        if (method.canSendAtOnce()) {
            send(args);
        } else {
            // Connecting blocks.
            Thread.ofVirtual().name("rdma-connect").start(() -> send(args));
        }
        return future;
    }

    private void send(@Nullable Object @Nullable [] args) {
        if (future.isCancelled()) {
            return;
        }
        try {
            session = method.send(args, startNanos, this);
            if (future.isCancelled()) {
                cancelSent();
            }
        } catch (RpcException e) {
            fail(e);
        } catch (Throwable e) {
            future.completeExceptionally(e);
        }
    }

    private void cancelSent() {
        RpcSession used = session;
        if (used != null) {
            used.cancel(this);
        }
    }

    @Override
    public void onResponse(InboundMessage response) {
        try {
            completions.execute(() -> complete(response));
        } catch (RejectedExecutionException e) {
            response.close();
            fail(new RdmaUnavailableException("the client is stopping", e));
        }
    }

    @Override
    public void onFailure(RpcException failure) {
        try {
            completions.execute(() -> fail(failure));
        } catch (RejectedExecutionException e) {
            fail(failure);
        }
    }

    private void complete(InboundMessage response) {
        try {
            Object result = method.decode(response);
            RpcSession used = session;
            if (used != null) {
                method.answered(used);
            }
            method.succeeded(startNanos);
            future.complete(result);
        } catch (RpcException e) {
            fail(e);
        } catch (Throwable e) {
            future.completeExceptionally(e);
        }
    }

    private void fail(RpcException e) {
        method.failedOn(session, e);
        future.completeExceptionally(method.failed(e, startNanos));
    }

    /** Cancelling it cancels the call. */
    private final class CancellingFuture extends CompletableFuture<@Nullable Object> {

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            if (cancelled) {
                cancelSent();
            }
            return cancelled;
        }
    }
}
