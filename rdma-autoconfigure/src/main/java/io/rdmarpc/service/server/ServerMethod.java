package io.rdmarpc.service.server;

import io.rdmarpc.rpc.RequestHandler;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.RpcStatus;
import io.rdmarpc.service.MethodObserver;
import io.rdmarpc.service.RdmaServerInterceptor;
import io.rdmarpc.service.ServiceMethod;
import io.rdmarpc.service.codec.MethodCodec;
import java.lang.invoke.MethodHandle;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Takes the calls of one method from the polling thread and runs them where they belong. Decides at once what needs no
 * thread: refusals.
 */
final class ServerMethod implements RequestHandler {

    /** About what a call takes that does something; a caller that comes back sooner finds the same calls here. */
    private static final Duration RETRY_AFTER = Duration.ofMillis(10);

    private final ServiceMethod method;
    private final MethodHandle invoker;
    private final MethodCodec codec;
    private final CallGate gate;
    private final @Nullable Executor executor;
    private final boolean interruptible;
    private final long longestQueueNanos;
    private final List<RdmaServerInterceptor> interceptors;
    private final MethodObserver observer;

    /**
     * Creates the handler.
     *
     * @param method which method
     * @param invoker of type {@code (Object[]) Object}
     * @param codec its serialization
     * @param gate bounds the calls of all methods
     * @param executor where it runs, null for the polling thread
     * @param interruptible whether its thread is interrupted when the caller has given up
     * @param maxQueueTime how long a call may wait for a thread, zero for any time
     * @param interceptors stand around the method
     * @param observer hears how it went
     */
    ServerMethod(
            ServiceMethod method,
            MethodHandle invoker,
            MethodCodec codec,
            CallGate gate,
            @Nullable Executor executor,
            boolean interruptible,
            Duration maxQueueTime,
            List<RdmaServerInterceptor> interceptors,
            MethodObserver observer) {
        this.method = method;
        this.invoker = invoker;
        this.codec = codec;
        this.gate = gate;
        this.executor = executor;
        this.interruptible = interruptible;
        this.longestQueueNanos = maxQueueTime.isZero() ? Long.MAX_VALUE : maxQueueTime.toNanos();
        this.interceptors = interceptors;
        this.observer = observer;
    }

    @Override
    public void handle(RpcRequest request) {
        switch (gate.enter()) {
            case IN -> dispatch(request, new ServerCall(this, request));
            case FULL ->
                refuseForLoad(
                        request,
                        "the server works on " + gate.most()
                                + " calls, as many as rdma.server.max-concurrent-calls allows");
            case CLOSED -> refuse(request, RpcStatus.UNAVAILABLE, "the server is stopping");
        }
    }

    private void dispatch(RpcRequest request, ServerCall call) {
        if (executor == null) {
            call.run();
            return;
        }
        try {
            executor.execute(method.streaming() ? new ServerStream(this, request, call) : call);
        } catch (RejectedExecutionException e) {
            call.refuse(e, "the server has no thread for the call", RETRY_AFTER);
        }
    }

    private void refuseForLoad(RpcRequest request, String words) {
        request.refuse(method + ": " + words, RETRY_AFTER);
        observer.onEnd(RpcStatus.OVERLOADED, null, 0);
    }

    private void refuse(RpcRequest request, RpcStatus status, String words) {
        request.fail(status, "", method + ": " + words);
        observer.onEnd(status, null, 0);
    }

    ServiceMethod method() {
        return method;
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

    boolean interruptible() {
        return interruptible;
    }

    long longestQueueNanos() {
        return longestQueueNanos;
    }

    CallGate gate() {
        return gate;
    }

    @Nullable
    Object invoke(@Nullable Object[] args) throws Throwable {
        return (Object) invoker.invokeExact(args);
    }
}
