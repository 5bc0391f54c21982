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
 * Takes the calls of one method from the polling thread and runs them where they belong. Decides at once what needs no
 * thread: rejections.
 */
public final class ServerMethod implements RequestHandler {

    private static final Log LOG = LogFactory.getLog(ServerMethod.class);

    /** About what a call takes that does something; a caller that comes back sooner finds the same calls here. */
    private static final Duration RETRY_AFTER = Duration.ofMillis(10);

    private final ServiceMethod method;
    private final Object bean;
    private final MethodHandle invoker;
    private final MethodCodec codec;
    private final @Nullable MethodCodec elements;
    private final ExporterContext context;
    private final @Nullable Executor executor;
    private final boolean interruptible;
    private final long longestQueueNanos;
    /** The innermost first. */
    private final List<RdmaServerInterceptor> interceptors;

    private final MethodObserver observer;
    private final AtomicBoolean executorFailed = new AtomicBoolean();

    /**
     * Creates the handler.
     *
     * @param method which method
     * @param bean what it is called on, with its proxies
     * @param invoker of type {@code (Object[]) Object}, bound to the bean
     * @param codec its service's serialization
     * @param context what all methods share
     * @param executor where it runs, null for the polling thread
     * @param interruptible whether its thread is interrupted when the caller has given up
     * @param observer hears how it went
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
        this.longestQueueNanos = maxQueueTime.isZero() ? Long.MAX_VALUE : maxQueueTime.toNanos();
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
                refuseForLoad(
                        request,
                        "the server works on " + gate().most()
                                + " calls, as many as rdma.server.max-concurrent-calls allows");
            case CLOSED -> refuseStopping(request);
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
            call.refuse(e, "the server has no thread for the call", RETRY_AFTER);
        } catch (RuntimeException | Error e) {
            executorFailed(call, e);
        }
    }

    /** A broken executor, or no memory for one more thread. The call leaves the gate, so that others get its place. */
    private void executorFailed(ServerCall call, Throwable e) {
        if (executorFailed.compareAndSet(false, true)) {
            LOG.error(method + ": the executor failed, which is logged once; its calls are refused", e);
        } else {
            LOG.debug(method + ": the executor failed", e);
        }
        // An executor may run calls in its caller's thread.
        if (!call.hasEnded()) {
            call.refuse(e, "the server's executor failed, and the call has not run", RETRY_AFTER);
        }
    }

    private void refuseForLoad(RpcRequest request, String words) {
        tellRefused(request, RpcStatus.OVERLOADED);
        request.refuse(method + ": " + words, RETRY_AFTER);
        observer.onEnd(RpcStatus.OVERLOADED, null, 0);
    }

    private void refuseStopping(RpcRequest request) {
        tellRefused(request, RpcStatus.UNAVAILABLE);
        request.refuseStopping(method + ": the server is stopping, and has not run the call");
        observer.onEnd(RpcStatus.UNAVAILABLE, null, 0);
    }

    /** Answers a call that does not run; it is counted and timed as one that ended so. */
    public void refuse(RpcRequest request, RpcStatus status, String words) {
        tellRefused(request, status);
        request.fail(status, "", method + ": " + words);
        observer.onEnd(status, null, 0);
    }

    private void tellRefused(RpcRequest request, RpcStatus status) {
        if (!interceptors.isEmpty()) {
            ServerCall call = new ServerCall(this, request);
            call.readMetadata();
            tellRefused(call, status, null);
        }
    }

    /** Those who stand around calls did not see this one. */
    void tellRefused(ServerCall call, RpcStatus status, @Nullable Throwable failure) {
        for (RdmaServerInterceptor interceptor : interceptors) {
            try {
                interceptor.refused(call, status, failure);
            } catch (RuntimeException e) {
                LOG.warn("an interceptor failed that was told of a refused call: " + interceptor, e);
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

    boolean interruptible() {
        return interruptible;
    }

    /** On the polling thread. */
    boolean runsWhereItArrives() {
        return executor == null;
    }

    /** Where nobody does, the clock need not be looked at. */
    boolean limitsQueueTime() {
        return longestQueueNanos != Long.MAX_VALUE;
    }

    long longestQueueNanos() {
        return longestQueueNanos;
    }

    CallGate gate() {
        return context.gate();
    }

    /** What the method's value comes with later; null when the result is the value. */
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
