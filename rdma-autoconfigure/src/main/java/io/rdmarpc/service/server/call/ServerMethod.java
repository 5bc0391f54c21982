package io.rdmarpc.service.server.call;

import io.rdmarpc.rpc.RequestHandler;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.MethodObserver;
import io.rdmarpc.service.RdmaExceptionMapper;
import io.rdmarpc.service.RdmaServerInterceptor;
import io.rdmarpc.service.codec.MethodCodec;
import io.rdmarpc.service.codec.ServiceCodec;
import io.rdmarpc.service.contract.ResultShape;
import io.rdmarpc.service.contract.ServiceMethod;
import io.rdmarpc.service.stream.Reactor;
import java.lang.invoke.MethodHandle;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Receives the calls of one method on the polling thread and dispatches them to their executor. Calls that are
 * rejected need no thread.
 */
public final class ServerMethod implements RequestHandler {

    private static final Log LOG = LogFactory.getLog(ServerMethod.class);

    /**
     * Retry hint of a rejected call: about the duration of a typical method. After a shorter time, a caller that
     * retries would find the same calls in progress.
     */
    private static final Duration RETRY_AFTER = Duration.ofMillis(10);

    private final ServiceMethod method;
    private final Object bean;
    private final MethodHandle invoker;
    private final MethodCodec codec;
    private final @Nullable MethodCodec elements;
    private final ExporterContext context;
    private final @Nullable Executor executor;
    private final boolean interruptible;
    private final long maxQueueNanos;
    /** The innermost first. */
    private final List<RdmaServerInterceptor> interceptors;

    private final MethodObserver observer;
    private final AtomicBoolean executorFailed = new AtomicBoolean();

    /**
     * Creates the handler.
     *
     * @param method the method
     * @param bean the bean that implements it, with its proxies
     * @param invoker handle of type {@code (Object[]) Object}, bound to the bean
     * @param codec codec of the service
     * @param context context that all methods share
     * @param executor executor of the calls, or null for the polling thread
     * @param interruptible whether the thread is interrupted when the caller cancels the call
     * @param observer observer of the calls
     */
    public ServerMethod(
            ServiceMethod method,
            Object bean,
            MethodHandle invoker,
            ServiceCodec codec,
            ExporterContext context,
            @Nullable Executor executor,
            boolean interruptible,
            MethodObserver observer) {
        this.method = method;
        this.bean = bean;
        this.invoker = invoker;
        this.codec = codec.method(method);
        ServiceMethod streamed = method.elements();
        this.elements = streamed == null ? null : codec.method(streamed);
        this.context = context;
        this.executor = executor;
        this.interruptible = interruptible;
        Duration maxQueueTime = context.maxQueueTime();
        this.maxQueueNanos = maxQueueTime.isZero() ? Long.MAX_VALUE : maxQueueTime.toNanos();
        this.interceptors = context.interceptors().stream()
                .filter(interceptor -> interceptor.appliesTo(method))
                .toList()
                .reversed();
        this.observer = observer;
    }

    @Override
    public void handle(RpcRequest request) {
        switch (gate().enter()) {
            case IN -> dispatch(request, new ServerCall(this, request));
            case FULL ->
                rejectForLoad(
                        request,
                        "the server works on " + gate().max()
                                + " calls, the maximum of rdma.server.max-concurrent-calls");
            case CLOSED -> rejectStopping(request);
        }
    }

    private void dispatch(RpcRequest request, ServerCall call) {
        if (executor == null) {
            call.run();
            return;
        }
        try {
            executor.execute(method.streaming() ? new ServerStream(this, elements, request, call) : call);
        } catch (RejectedExecutionException e) {
            call.reject(e, "the executor rejected the call, and the method has not run", RETRY_AFTER);
        } catch (RuntimeException | Error e) {
            executorFailed(call, e);
        }
    }

    /**
     * Rejects a call whose executor failed: it is defective, or there is no memory for a thread. The call leaves the
     * gate.
     */
    private void executorFailed(ServerCall call, Throwable e) {
        if (executorFailed.compareAndSet(false, true)) {
            LOG.error(
                    method + ": the executor failed, and calls of the method are rejected;"
                            + " further failures are logged at level debug",
                    e);
        } else {
            LOG.debug(method + ": the executor failed", e);
        }
        // An executor may have run the call in the current thread.
        if (!call.hasEnded()) {
            call.reject(e, "the server's executor failed, and the method has not run", RETRY_AFTER);
        }
    }

    private void rejectForLoad(RpcRequest request, String message) {
        notifyRejected(request, RpcStatus.OVERLOADED);
        request.reject(method + ": " + message, RETRY_AFTER);
        observer.onEnd(RpcStatus.OVERLOADED, null, 0);
    }

    private void rejectStopping(RpcRequest request) {
        notifyRejected(request, RpcStatus.UNAVAILABLE);
        request.rejectStopping(method + ": the server is stopping, and the method has not run");
        observer.onEnd(RpcStatus.UNAVAILABLE, null, 0);
    }

    /** Rejects a call without running it. The observer counts and times it with the status of the rejection. */
    public void reject(RpcRequest request, RpcStatus status, String message) {
        notifyRejected(request, status);
        request.fail(status, "", method + ": " + message);
        observer.onEnd(status, null, 0);
    }

    private void notifyRejected(RpcRequest request, RpcStatus status) {
        if (!interceptors.isEmpty()) {
            ServerCall call = new ServerCall(this, request);
            call.readMetadata();
            notifyRejected(call, status, null);
        }
    }

    /** Notifies the interceptors of a call that was rejected before it reached them. */
    void notifyRejected(ServerCall call, RpcStatus status, @Nullable Throwable failure) {
        for (RdmaServerInterceptor interceptor : interceptors) {
            try {
                interceptor.rejected(call, status, failure);
            } catch (RuntimeException e) {
                LOG.warn("an interceptor threw when it was notified of a rejected call: " + interceptor, e);
            }
        }
    }

    ServiceMethod method() {
        return method;
    }

    Object bean() {
        return bean;
    }

    MethodCodec codec() {
        return codec;
    }

    MethodObserver observer() {
        return observer;
    }

    List<RdmaServerInterceptor> interceptors() {
        return interceptors;
    }

    List<RdmaExceptionMapper> mappers() {
        return context.mappers();
    }

    /** Returns whether failures have a debug text if the caller requests it. */
    boolean sendsDebugDetails() {
        return context.debugDetails();
    }

    boolean interruptible() {
        return interruptible;
    }

    /** Returns whether the method runs on the polling thread. */
    boolean runsInline() {
        return executor == null;
    }

    /** Returns whether there is a maximum queue time. Otherwise the clock need not be read. */
    boolean limitsQueueTime() {
        return maxQueueNanos != Long.MAX_VALUE;
    }

    long maxQueueNanos() {
        return maxQueueNanos;
    }

    CallGate gate() {
        return context.gate();
    }

    /** Returns the stage of an asynchronous result, or null if the result is the value itself. */
    @Nullable
    CompletionStage<?> stageOf(@Nullable Object result, ServerCall call) throws Throwable {
        if (!method.asynchronous()) {
            return null;
        }
        if (result == null) {
            throw new IllegalStateException("the method returned null instead of a "
                    + (method.shape() == ResultShape.MONO ? "Mono" : "future"));
        }
        return method.shape() == ResultShape.MONO
                ? (CompletionStage<?>) call.inScope(() -> Reactor.subscribe(result, call))
                : (CompletionStage<?>) result;
    }

    @Nullable
    Object invoke(@Nullable Object[] args) throws Throwable {
        return (Object) invoker.invokeExact(args);
    }
}
