package io.rdmarpc.service.client;

import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.BlockingStream;
import io.rdmarpc.rpc.InboundMessage;
import io.rdmarpc.rpc.RdmaTimeoutException;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcException;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.RpcStatus;
import io.rdmarpc.service.CallContext;
import io.rdmarpc.service.CallMetadata;
import io.rdmarpc.service.InvalidServiceException;
import io.rdmarpc.service.MethodObserver;
import io.rdmarpc.service.RdmaClientInterceptor;
import io.rdmarpc.service.ServiceMethod;
import io.rdmarpc.service.codec.MethodCodec;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/** One method of a proxy. Any thread. */
final class ClientMethod {

    /** How far a server is ahead of the caller that takes what it streams. */
    private static final int STREAM_CREDITS = 8;

    private final ServiceMethod method;
    private final RdmaTarget target;
    private final VerifiedSession session;
    private final MethodCodec codec;
    private final MethodObserver observer;
    private final Executor completions;
    private final List<RdmaClientInterceptor> interceptors;
    private final long timeoutNanos;

    ClientMethod(
            ServiceMethod method,
            RdmaTarget target,
            VerifiedSession session,
            MethodCodec codec,
            MethodObserver observer,
            Executor completions,
            List<RdmaClientInterceptor> interceptors) {
        this.method = method;
        this.target = target;
        this.session = session;
        this.codec = codec;
        this.observer = observer;
        this.completions = completions;
        this.interceptors = interceptors;
        this.timeoutNanos = timeout(method, target.timeout()).toNanos();
    }

    private static Duration timeout(ServiceMethod method, Duration fallback) {
        RdmaMethod annotation = method.declaration().getAnnotation(RdmaMethod.class);
        if (annotation == null || annotation.timeout().isEmpty()) {
            return fallback;
        }
        try {
            Duration timeout = DurationFormatterUtils.detectAndParse(annotation.timeout());
            if (timeout.isPositive()) {
                return timeout;
            }
        } catch (IllegalArgumentException e) {
            // Reported below.
        }
        throw new InvalidServiceException(
                "the time-out \"" + annotation.timeout() + "\" of " + method + " is not a duration over 0",
                "Write it as 500ms or 2s");
    }

    @Nullable
    Object invoke(@Nullable Object @Nullable [] args) throws Throwable {
        ClientCall call = new ClientCall(this, args, timeoutNanos);
        return interceptors.isEmpty() ? start(call) : intercepted(call);
    }

    private @Nullable Object intercepted(ClientCall call) throws Throwable {
        CallContext.Next next = () -> start(call);
        for (RdmaClientInterceptor interceptor : interceptors.reversed()) {
            CallContext.Next rest = next;
            next = () -> interceptor.intercept(call, rest);
        }
        try {
            return next.proceed();
        } catch (Throwable e) {
            // Does nothing where the call itself has failed.
            call.end(e instanceof RpcException rpc ? rpc.status() : RpcStatus.CANCELLED, e);
            throw e;
        }
    }

    private @Nullable Object start(ClientCall call) {
        if (method.streaming()) {
            RemoteIterator items = stream(call);
            return method.declaration().getReturnType() == Stream.class ? items.asStream() : items;
        }
        return method.asynchronous() ? new FutureCall(this, call, completions).start() : callAndWait(call);
    }

    private @Nullable Object callAndWait(ClientCall call) {
        try {
            BlockingCall waiting = new BlockingCall();
            RpcSession used = send(call, waiting);
            Object result = decode(waiting.await(used, call.remainingNanos()));
            call.succeeded();
            return result;
        } catch (RpcException e) {
            throw call.failed(e);
        }
    }

    /** Metadata and arguments are the stream's one message to the server. */
    private RemoteIterator stream(ClientCall call) {
        BlockingStream stream = null;
        try {
            RpcSession open = session.get(call.remainingNanos());
            call.sentOn(open);
            stream = BlockingStream.open(open, method.id(), STREAM_CREDITS, Math.max(1, call.remainingNanos()));
            stream.send(codec.encodeArguments(new MetadataAllocator(stream, call.metadata()), call.arguments()));
            stream.complete();
            return new RemoteIterator(this, call, stream);
        } catch (RpcException e) {
            closeQuietly(stream);
            throw call.failed(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            closeQuietly(stream);
            throw call.failed(new RpcException(RpcStatus.CANCELLED, "the caller was interrupted while it waited", e));
        }
    }

    private static void closeQuietly(@Nullable BlockingStream stream) {
        if (stream != null) {
            stream.close();
        }
    }

    /** Starts a call; its end goes to the handler, unless this throws. The session can cancel it. */
    RpcSession send(ClientCall call, ResponseHandler handler) {
        RpcSession open = session.get(call.remainingNanos());
        call.sentOn(open);
        CallMetadata metadata = call.sentMetadata();
        MessageBuffer request = codec.encodeArguments(
                metadata == null ? open : new MetadataAllocator(open, metadata), call.arguments());
        long remaining = call.remainingNanos();
        if (remaining <= 0) {
            request.close();
            throw new RdmaTimeoutException(
                    "the " + Duration.ofNanos(call.timeoutNanos()) + " it may take were over before it was sent");
        }
        open.call(method.id(), request, remaining, handler);
        return open;
    }

    @Nullable
    RpcSession readySession() {
        return session.ready();
    }

    @Nullable
    Object decode(InboundMessage response) {
        try (response) {
            return codec.decodeResult(response);
        }
    }

    RpcException explained(RpcException e) {
        return CallFailures.of(method + " at " + target, e);
    }

    ServiceMethod method() {
        return method;
    }

    RdmaTarget target() {
        return target;
    }

    MethodObserver observer() {
        return observer;
    }
}
