package io.rdmarpc.service.client;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.runtime.EngineInvoker;
import io.rdmarpc.service.RdmaDetailedRemoteException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The future that a caller receives, and the handler of the response. Work that takes time, and the caller's code,
 * run on the executor instead of the polling thread. A thread that runs an engine itself, to have no hand-over, runs them,
 * too. Cancelling the future cancels the call.
 */
final class FutureCall extends CompletableFuture<@Nullable Object> implements ResponseHandler {

    private final ClientMethod method;
    private final ClientCall call;
    private final RetryPolicy retry;
    private final Executor completions;

    FutureCall(ClientMethod method, ClientCall call, RetryPolicy retry, Executor completions) {
        this.method = method;
        this.call = call;
        this.retry = retry;
        this.completions = completions;
    }

    CompletableFuture<@Nullable Object> start() {
        if (method.canSendAtOnce()) {
            send();
        } else {
            // Connecting blocks.
            Thread.ofVirtual().name("rdma-connect").start(this::send);
        }
        return this;
    }

    /**
     * Sends the call. Cancellation may occur meanwhile. {@link #cancel} marks the future and then checks whether the
     * call was sent. This method sends the call and then checks for cancellation. Therefore at least one of them
     * cancels a call that was sent.
     */
    private void send() {
        if (isCancelled()) {
            call.end(RpcStatus.CANCELLED, null);
            return;
        }
        try {
            method.send(call, retry.limit(call.isFirstAttempt() ? call.timeoutNanos() : call.remainingNanos()), this);
            if (isCancelled()) {
                cancelSent();
            }
        } catch (RdmaRpcException e) {
            retryOrFail(e);
        } catch (Throwable e) {
            call.end(RpcStatus.INTERNAL, e);
            completeExceptionally(e);
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        if (cancelled) {
            cancelSent();
        }
        return cancelled;
    }

    private void cancelSent() {
        RpcSession used = call.session();
        if (call.wasSent() && used != null) {
            used.cancel(this);
        }
    }

    @Override
    public void onResponse(InboundMessage response) {
        if (EngineInvoker.isOpenHere()) {
            take(response);
            return;
        }
        try {
            completions.execute(() -> take(response));
        } catch (RejectedExecutionException e) {
            response.close();
            fail(new RdmaUnavailableException("the response was discarded because the application is stopping", e));
        }
    }

    @Override
    public void onFailure(RdmaRpcException failure) {
        if (EngineInvoker.isOpenHere()) {
            retryOrFail(failure);
            return;
        }
        try {
            completions.execute(() -> retryOrFail(failure));
        } catch (RejectedExecutionException e) {
            fail(failure);
        }
    }

    private void take(InboundMessage response) {
        try {
            Object result = method.decode(call, response);
            method.recordResponse(call);
            call.succeeded();
            if (!complete(result) && result instanceof MessageBuffer unwanted) {
                unwanted.close();
            }
        } catch (RdmaDetailedRemoteException e) {
            retryOrFail(e);
        } catch (RdmaRpcException e) {
            fail(e);
        } catch (Throwable e) {
            call.end(RpcStatus.INTERNAL, e);
            completeExceptionally(e);
        }
    }

    private void retryOrFail(RdmaRpcException e) {
        method.recordFailure(call, e);
        Duration pause = isDone() ? null : call.pauseAfter(e, retry);
        if (pause == null) {
            fail(e);
            return;
        }
        CompletableFuture.delayedExecutor(pause.toNanos(), TimeUnit.NANOSECONDS, completions)
                .execute(this::startAgain);
    }

    private void startAgain() {
        var _ = start();
    }

    private void fail(RdmaRpcException e) {
        completeExceptionally(method.failure(call, e));
    }
}
