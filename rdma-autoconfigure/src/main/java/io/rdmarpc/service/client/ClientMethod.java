package io.rdmarpc.service.client;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.error.RdmaOverloadedException;
import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.service.CallContext;
import io.rdmarpc.service.CallMetadata;
import io.rdmarpc.service.CallOptions;
import io.rdmarpc.service.MethodObserver;
import io.rdmarpc.service.RdmaClientInterceptor;
import io.rdmarpc.service.ServerAddress;
import io.rdmarpc.service.client.routing.RdmaTarget;
import io.rdmarpc.service.client.routing.TargetSessions;
import io.rdmarpc.service.codec.MethodCodec;
import io.rdmarpc.service.codec.ServiceCodec;
import io.rdmarpc.service.contract.MethodSettings;
import io.rdmarpc.service.contract.ServiceMethod;
import io.rdmarpc.service.stream.Reactor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** One method of a proxy. All decisions that do not depend on a call are made at construction. Thread-safe. */
final class ClientMethod {

    /** Starts a call as the type of the method requires. Returns the method's return value. */
    @FunctionalInterface
    private interface CallPath {

        @Nullable
        Object start(ClientCall call) throws Throwable;
    }

    private final ServiceMethod method;
    private final RdmaTarget target;
    private final ServerAddress server;
    private final TargetSessions sessions;
    private final int keyIndex;
    private final MethodCodec codec;
    private final MethodObserver observer;
    private final ProxyContext context;
    private final RetryPolicy retry;
    private final OneWayCall.Failures lost = new OneWayCall.Failures();
    private final DeclaredExceptions declared;
    /** Interceptors in reverse order: the innermost first. */
    private final List<RdmaClientInterceptor> interceptors;

    private final CallPath path;
    /** Timeout of the method in nanoseconds. 0 selects the target's timeout, which may change. */
    private final long ownTimeoutNanos;

    ClientMethod(
            ServiceMethod method,
            RdmaTarget target,
            TargetSessions sessions,
            ServiceCodec codec,
            MethodObserver observer,
            ProxyContext context) {
        this.method = method;
        this.target = target;
        this.server = target.server();
        this.sessions = sessions;
        this.keyIndex = CallKeys.indexOf(method.declaration());
        this.codec = codec.method(method);
        this.observer = observer;
        this.context = context;
        MethodSettings settings = MethodSettings.of(method);
        // A message buffer can be sent only once.
        this.retry = this.codec.argumentIsMessage() ? RetryPolicy.ONCE : RetryPolicy.of(settings, context.retry());
        this.ownTimeoutNanos =
                settings.timeout() == null ? 0 : settings.timeout().toNanos();
        this.declared = new DeclaredExceptions(method);
        this.interceptors = context.interceptors().stream()
                .filter(interceptor -> interceptor.appliesTo(method))
                .toList()
                .reversed();
        this.path = pathOf(settings, codec);
    }

    private CallPath pathOf(MethodSettings settings, ServiceCodec codecs) {
        if (settings.oneWay()) {
            return this::sendOnly;
        }
        if (method.streaming()) {
            ServiceMethod elements = method.elements();
            StreamingCall streaming = new StreamingCall(this, elements == null ? null : codecs.method(elements));
            return streaming::start;
        }
        return switch (method.shape()) {
            case FUTURE -> this::callLater;
            case MONO -> call -> Reactor.monoOf(() -> future(call));
            default -> this::callAndWait;
        };
    }

    @SuppressWarnings("FutureReturnValueIgnored") // returned to the caller
    private Object callLater(ClientCall call) {
        return future(call);
    }

    private CompletableFuture<@Nullable Object> future(ClientCall call) {
        return new FutureCall(this, call, retry, context.completions()).start();
    }

    @Nullable
    Object invoke(@Nullable Object @Nullable [] args) throws Throwable {
        CallOptions options = CallOptions.current();
        return switch (method.shape()) {
            case MONO -> Reactor.deferMono(() -> begin(copyOf(args), options));
            case FLUX -> Reactor.deferFlux(() -> begin(copyOf(args), options));
            default -> begin(args, options);
        };
    }

    /** Copies the arguments, because interceptors may change what each subscription sends. */
    private static @Nullable Object @Nullable [] copyOf(@Nullable Object @Nullable [] args) {
        return args == null ? null : args.clone();
    }

    private @Nullable Object begin(@Nullable Object @Nullable [] args, @Nullable CallOptions options) throws Throwable {
        ClientCall call = new ClientCall(this, args, timeoutNanos(), options);
        if (codec.argumentIsMessage()) {
            call.onEnd((_, _) -> closeUnsent(call.arguments()));
        }
        return interceptors.isEmpty() ? path.start(call) : intercepted(call);
    }

    private long timeoutNanos() {
        return ownTimeoutNanos > 0 ? ownTimeoutNanos : target.timeout().nanos();
    }

    /** Closes the argument of a call that failed before it was sent. */
    private static void closeUnsent(@Nullable Object[] arguments) {
        if (arguments.length == 1 && arguments[0] instanceof MessageBuffer buffer && buffer.isOpen()) {
            buffer.close();
        }
    }

    /** Allocates memory for an argument. */
    MessageBuffer allocate(int bytes) {
        RpcSession ready = sessions.ready();
        if (ready == null) {
            context.start().run();
            ready = sessions.get(null, timeoutNanos());
        }
        return ready.allocate(bytes);
    }

    private @Nullable Object intercepted(ClientCall call) throws Throwable {
        CallContext.Next next = () -> {
            call.delayed();
            return path.start(call);
        };
        for (RdmaClientInterceptor interceptor : interceptors) {
            CallContext.Next rest = next;
            next = () -> interceptor.intercept(call, rest);
        }
        try {
            return ended(call, checked(next.proceed()));
        } catch (Throwable e) {
            // Has no effect if the call itself has failed and ended already.
            call.endWith(e);
            throw e;
        }
    }

    /**
     * Ends a call whose interceptor returned a result without calling the server. Only the first end has an effect.
     */
    private @Nullable Object ended(ClientCall call, @Nullable Object result) {
        switch (method.shape()) {
            case FUTURE -> {
                if (result instanceof CompletionStage<?> stage) {
                    var _ = stage.whenComplete((_, failure) -> call.endWith(failure));
                }
            }
            case MONO, FLUX -> {
                return result == null ? null : Reactor.whenEnded(result, call::endWith);
            }
            default -> {
                if (call.session() == null) {
                    call.end(RpcStatus.OK, null);
                }
            }
        }
        return result;
    }

    private @Nullable Object checked(@Nullable Object result) {
        Class<?> type = method.declaration().getReturnType();
        if (result == null && type.isPrimitive() && type != void.class) {
            throw new IllegalStateException(
                    "an interceptor returned null for " + method + ", which returns a primitive " + type);
        }
        return result;
    }

    private @Nullable Object callAndWait(ClientCall call) throws Throwable {
        while (true) {
            BlockingCall waiting = new BlockingCall();
            try {
                long limit = retry.limit(call.isFirstAttempt() ? call.timeoutNanos() : call.remainingNanos());
                RpcSession used = send(call, limit, waiting);
                Object result = decode(call, waiting.await(used));
                recordResponse(call);
                call.succeeded();
                return result;
            } catch (RdmaRpcException e) {
                if (!waiting.isAbandoned()) {
                    recordFailure(call, e);
                }
                Duration pause = call.pauseAfter(e, retry);
                if (pause == null || !slept(pause)) {
                    throw failure(call, e);
                }
            }
        }
    }

    /** Returns false if the caller was interrupted, because an interrupted caller does not retry. */
    static boolean slept(Duration pause) {
        try {
            Thread.sleep(pause);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Ends a failed call. Returns the exception for the caller. */
    Throwable failure(ClientCall call, RdmaRpcException e) {
        return declared.of(e, call.failed(e));
    }

    private @Nullable Object sendOnly(ClientCall call) {
        try {
            new OneWayCall(this, call, lost).send();
            return null;
        } catch (RdmaRpcException e) {
            throw call.failed(e);
        }
    }

    /** Returns whether the arguments still exist after sending. A buffer that is the message does not. */
    boolean canSendAgain() {
        return !codec.argumentIsMessage();
    }

    /** Runs a step that must not delay a polling thread. */
    void later(Runnable step) {
        context.completions().execute(step);
    }

    /** Returns a session for the next attempt, and connects if necessary. A later attempt prefers another instance. */
    RpcSession session(ClientCall call) {
        call.begin();
        RpcSession before = call.session();
        Object key = CallKeys.of(call, keyIndex);
        RpcSession chosen = before == null ? firstSession(call, key) : anotherSession(call, key, before);
        call.useSession(chosen);
        return chosen;
    }

    /** Reads the clock only if the call has to wait for a session. */
    private RpcSession firstSession(ClientCall call, @Nullable Object key) {
        RpcSession ready = sessions.atOnce(key);
        if (ready != null) {
            return ready;
        }
        call.delayed();
        context.start().run();
        return sessions.get(key, call.remainingNanos());
    }

    private RpcSession anotherSession(ClientCall call, @Nullable Object key, RpcSession before) {
        call.delayed();
        context.start().run();
        return sessions.another(before, key, call.remainingNanos());
    }

    /**
     * Returns whether calls can start without waiting. Arguments with regions may wait, because encoding looks up the
     * memory connection.
     */
    boolean canSendAtOnce() {
        return sessions.isReady() && !codec.takesRegions();
    }

    /** Records that the instance has responded, whatever the response was. */
    void recordResponse(ClientCall call) {
        RpcSession used = call.attempt();
        if (used != null) {
            sessions.succeeded(used);
        }
    }

    /**
     * Records that an attempt has failed, which may exclude its instance. A call that the caller sent too late is not
     * counted.
     */
    void recordFailure(ClientCall call, RdmaRpcException e) {
        RpcSession used = call.attempt();
        if (used == null) {
            return;
        }
        if (isResponse(e)) {
            sessions.succeeded(used);
        } else if (call.wasSent() || e.status() != RpcStatus.DEADLINE_EXCEEDED) {
            sessions.failed(used, e);
        }
    }

    /**
     * Returns whether the failure is a response of a working instance. UNAVAILABLE is the response of an instance
     * that is stopping.
     */
    private static boolean isResponse(RdmaRpcException e) {
        return (e instanceof RdmaRemoteException || e instanceof RdmaOverloadedException)
                && e.status() != RpcStatus.UNAVAILABLE;
    }

    /** Calls {@link #recordFailure} on another thread, for a thread that must not wait. */
    void recordFailureLater(ClientCall call, RdmaRpcException e) {
        try {
            context.completions().execute(() -> recordFailure(call, e));
        } catch (RejectedExecutionException stopping) {
            // The application is stopping and no longer selects instances.
        }
    }

    /**
     * Starts a call. The handler receives its end, unless this method throws. For a blocking caller the call has
     * usually ended when this method returns. The session can cancel it.
     */
    RpcSession send(ClientCall call, long limitNanos, ResponseHandler handler) {
        RpcSession open = session(call);
        CallMetadata metadata = call.sentMetadata();
        MessageBuffer request = codec.encodeArguments(
                open, metadata == null ? open : new MetadataAllocator(open, metadata), call.arguments());
        long start = call.startNanos();
        long limit = limitNanos;
        if (isLate(call, open, request)) {
            start = System.nanoTime();
            limit = Math.min(limitNanos, call.remainingNanos(start));
        }
        if (limit <= 0) {
            request.close();
            throw new RdmaTimeoutException(
                    "its timeout of " + Duration.ofNanos(call.timeoutNanos()) + " passed before it was sent");
        }
        call.markSent();
        if (handler instanceof BlockingCall waiting) {
            waiting.isDueAt(start + limit);
            open.callAndWait(method.id(), request, start, limit, waiting);
        } else {
            open.call(method.id(), request, start, limit, handler);
        }
        return open;
    }

    /**
     * Returns whether relevant time has passed since the start. Writing a message that fits a packet takes no longer
     * than reading the clock.
     */
    private boolean isLate(ClientCall call, RpcSession session, MessageBuffer request) {
        return call.wasDelayed() || codec.takesRegions() || request.length() > session.maxPacketPayload();
    }

    @Nullable
    RpcSession readySession() {
        return sessions.ready();
    }

    @Nullable
    Object decode(ClientCall call, InboundMessage response) {
        return codec.resultIsMessage() ? watched(response) : codec.takeResult(call.attempt(), response);
    }

    private MessageBuffer watched(InboundMessage response) {
        WatchedResult message = new WatchedResult(method, response);
        MessageBuffer result = codec.takeMessage(message);
        message.watch(result);
        return result;
    }

    RdmaRpcException withCallName(RdmaRpcException e) {
        return CallFailures.of(method + " at " + target, e);
    }

    ServiceMethod method() {
        return method;
    }

    MethodCodec codec() {
        return codec;
    }

    RdmaTarget target() {
        return target;
    }

    ServerAddress server() {
        return server;
    }

    MethodObserver observer() {
        return observer;
    }
}
