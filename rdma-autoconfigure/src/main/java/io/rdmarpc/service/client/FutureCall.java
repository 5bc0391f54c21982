package io.rdmarpc.service.client;

import io.rdmarpc.rpc.InboundMessage;
import io.rdmarpc.rpc.RdmaUnavailableException;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** A caller that got a future. Whatever takes time, or runs the caller's code, stays off the polling thread. */
final class FutureCall implements ResponseHandler {

    private final ClientMethod method;
    private final Executor completions;
    private final long startNanos = System.nanoTime();
    private final CompletableFuture<@Nullable Object> future = new CompletableFuture<>();

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
        try {
            method.send(args, startNanos, this);
        } catch (RpcException e) {
            fail(e);
        } catch (Throwable e) {
            future.completeExceptionally(e);
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
            method.succeeded(startNanos);
            future.complete(result);
        } catch (RpcException e) {
            fail(e);
        } catch (Throwable e) {
            future.completeExceptionally(e);
        }
    }

    private void fail(RpcException e) {
        future.completeExceptionally(method.failed(e, startNanos));
    }
}
