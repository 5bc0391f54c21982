package io.rdmarpc.service.client;

import io.rdmarpc.rpc.InboundMessage;
import io.rdmarpc.rpc.RdmaUnavailableException;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcException;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.RpcStatus;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** A caller that got a future. Whatever takes time, or runs the caller's code, stays off the polling thread. */
final class FutureCall implements ResponseHandler {

    private final ClientMethod method;
    private final Executor completions;
    private final ClientCall call;
    private final CompletableFuture<@Nullable Object> future = new CancellingFuture();
    private volatile boolean sent;

    FutureCall(ClientMethod method, ClientCall call, Executor completions) {
        this.method = method;
        this.call = call;
        this.completions = completions;
    }

    CompletableFuture<@Nullable Object> start() {
        if (method.readySession() != null) {
            send();
        } else {
            // Connecting blocks.
            Thread.ofVirtual().name("rdma-connect").start(this::send);
        }
        return future;
    }

    private void send() {
        if (future.isCancelled()) {
            call.end(RpcStatus.CANCELLED, null);
            return;
        }
        try {
            method.send(call, this);
            sent = true;
            if (future.isCancelled()) {
                cancelSent();
            }
        } catch (RpcException e) {
            fail(e);
        } catch (Throwable e) {
            call.end(RpcStatus.INTERNAL, e);
            future.completeExceptionally(e);
        }
    }

    private void cancelSent() {
        RpcSession used = call.session();
        if (sent && used != null) {
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
            call.succeeded();
            future.complete(result);
        } catch (RpcException e) {
            fail(e);
        } catch (Throwable e) {
            call.end(RpcStatus.INTERNAL, e);
            future.completeExceptionally(e);
        }
    }

    private void fail(RpcException e) {
        future.completeExceptionally(call.failed(e));
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
