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

/** One method of a proxy. How a call of it goes is decided once. Any thread. */
final class ClientMethod {

    /** The way of one call; gives what the method returns. */
    @FunctionalInterface
    private interface Way {

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
    /** The innermost first. */
    private final List<RdmaClientInterceptor> interceptors;

    private final Way way;
    /** 0 where the target's counts, which may change. */
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
        // A buffer goes out once.
        this.retry = this.codec.argumentIsMessage() ? RetryPolicy.ONCE : RetryPolicy.of(settings, context.retry());
        this.ownTimeoutNanos =
                settings.timeout() == null ? 0 : settings.timeout().toNanos();
        this.declared = new DeclaredExceptions(method);
        this.interceptors = context.interceptors().stream()
                .filter(interceptor -> interceptor.appliesTo(method))
                .toList()
                .reversed();
        this.way = wayOf(settings, codec);
    }

    private Way wayOf(MethodSettings settings, ServiceCodec codecs) {
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

    @SuppressWarnings("FutureReturnValueIgnored") // the caller gets it
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

    /** Interceptors may change what each subscription sends. */
    private static @Nullable Object @Nullable [] copyOf(@Nullable Object @Nullable [] args) {
        return args == null ? null : args.clone();
    }

    private @Nullable Object begin(@Nullable Object @Nullable [] args, @Nullable CallOptions options) throws Throwable {
        ClientCall call = new ClientCall(this, args, timeoutNanos(), options);
        if (codec.argumentIsMessage()) {
            call.onEnd((_, _) -> closeUnsent(call.arguments()));
        }
        return interceptors.isEmpty() ? way.start(call) : intercepted(call);
    }

    private long timeoutNanos() {
        return ownTimeoutNanos > 0 ? ownTimeoutNanos : target.timeout().nanos();
    }

    /** Of a call that has failed before it was sent. */
    private static void closeUnsent(@Nullable Object[] arguments) {
        if (arguments.length == 1 && arguments[0] instanceof MessageBuffer buffer && buffer.isOpen()) {
            buffer.close();
        }
    }

    /** Memory for an argument. */
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
            return way.start(call);
        };
        for (RdmaClientInterceptor interceptor : interceptors) {
            CallContext.Next rest = next;
            next = () -> interceptor.intercept(call, rest);
        }
        try {
            return ended(call, checked(next.proceed()));
        } catch (Throwable e) {
            // Does nothing where the call itself has failed.
            call.endWith(e);
            throw e;
        }
    }

    /** An interceptor may have answered instead of the call, which nobody else ends then. The first end counts. */
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
                answered(call);
                call.succeeded();
                return result;
            } catch (RdmaRpcException e) {
                if (!waiting.isAbandoned()) {
                    failedOn(call, e);
                }
                Duration pause = call.pauseAfter(e, retry);
                if (pause == null || !slept(pause)) {
                    throw failure(call, e);
                }
            }
        }
    }

    /** False when the caller was interrupted: then it wants no other attempt. */
    static boolean slept(Duration pause) {
        try {
            Thread.sleep(pause);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Ends a call that has failed; gives what the caller gets. */
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

    /** Whether its arguments are still there after they were sent: a buffer that is the message is not. */
    boolean canSendAgain() {
        return !codec.argumentIsMessage();
    }

    /** Runs what must not hold up a polling thread. */
    void later(Runnable step) {
        context.completions().execute(step);
    }

    /** Connects where that is needed. A call that is made again goes to another instance where there is one. */
    RpcSession session(ClientCall call) {
        call.begin();
        RpcSession before = call.session();
        Object key = CallKeys.of(call, keyIndex);
        RpcSession chosen = before == null ? firstSession(call, key) : anotherSession(call, key, before);
        call.goesTo(chosen);
        return chosen;
    }

    /** The clock is looked at only by who has to wait. */
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

    /** Whether calls start without waiting for a connection; that about memory is looked for as the call is written. */
    boolean canSendAtOnce() {
        return sessions.isReady() && !codec.takesRegions();
    }

    /** The instance has answered, whatever it said. */
    void answered(ClientCall call) {
        RpcSession used = call.attempt();
        if (used != null) {
            sessions.succeeded(used);
        }
    }

    /** An attempt has failed, which may speak against its instance; not when the caller itself was too late to send it. */
    void failedOn(ClientCall call, RdmaRpcException e) {
        RpcSession used = call.attempt();
        if (used == null) {
            return;
        }
        if (isAnswer(e)) {
            sessions.succeeded(used);
        } else if (call.wasSent() || e.status() != RpcStatus.DEADLINE_EXCEEDED) {
            sessions.failed(used, e);
        }
    }

    /** The instance works, and says no. One that is stopping says that it is not there. */
    private static boolean isAnswer(RdmaRpcException e) {
        return (e instanceof RdmaRemoteException || e instanceof RdmaOverloadedException)
                && e.status() != RpcStatus.UNAVAILABLE;
    }

    /** The same from a thread that must not wait. */
    void failedLater(ClientCall call, RdmaRpcException e) {
        try {
            context.completions().execute(() -> failedOn(call, e));
        } catch (RejectedExecutionException stopping) {
            // Nobody chooses an instance any more.
        }
    }

    /**
     * Starts a call; its end goes to the handler, unless this throws. For a caller that waits that is usually over when this
     * returns. The session can cancel it.
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
                    "the " + Duration.ofNanos(call.timeoutNanos()) + " it may take were over before it was sent");
        }
        call.sends();
        if (handler instanceof BlockingCall waiting) {
            waiting.isDueAt(start + limit);
            open.callAndWait(method.id(), request, start, limit, waiting);
        } else {
            open.call(method.id(), request, start, limit, handler);
        }
        return open;
    }

    /** Whether time has passed that counts. To write what fits a packet takes no longer than to ask what time it is. */
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

    RdmaRpcException explained(RdmaRpcException e) {
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
