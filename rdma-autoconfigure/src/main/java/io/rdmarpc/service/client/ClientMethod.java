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
import io.rdmarpc.service.InvalidServiceException;
import io.rdmarpc.service.MethodObserver;
import io.rdmarpc.service.ServiceMethod;
import io.rdmarpc.service.codec.MethodCodec;
import java.time.Duration;
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
    private final TargetSessions sessions;
    private final int keyIndex;
    private final MethodCodec codec;
    private final MethodObserver observer;
    private final Executor completions;
    private final long timeoutNanos;

    ClientMethod(
            ServiceMethod method,
            RdmaTarget target,
            TargetSessions sessions,
            MethodCodec codec,
            MethodObserver observer,
            Executor completions) {
        this.method = method;
        this.target = target;
        this.sessions = sessions;
        this.keyIndex = CallKeys.indexOf(method.declaration());
        this.codec = codec;
        this.observer = observer;
        this.completions = completions;
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
    Object invoke(@Nullable Object @Nullable [] args) {
        if (method.streaming()) {
            RemoteIterator items = stream(args);
            return method.declaration().getReturnType() == Stream.class ? items.asStream() : items;
        }
        return method.asynchronous() ? new FutureCall(this, completions).start(args) : callAndWait(args);
    }

    private @Nullable Object callAndWait(@Nullable Object @Nullable [] args) {
        long startNanos = System.nanoTime();
        RpcSession used = null;
        try {
            BlockingCall call = new BlockingCall();
            used = send(args, startNanos, call);
            Object result = decode(call.await(used, remaining(startNanos)));
            answered(used);
            succeeded(startNanos);
            return result;
        } catch (RpcException e) {
            failedOn(used, e);
            throw failed(e, startNanos);
        }
    }

    /** The arguments are the stream's one message to the server. */
    private RemoteIterator stream(@Nullable Object @Nullable [] args) {
        long startNanos = System.nanoTime();
        BlockingStream stream = null;
        try {
            RpcSession open = sessions.get(CallKeys.of(args, keyIndex), remaining(startNanos));
            stream = BlockingStream.open(open, method.id(), STREAM_CREDITS, Math.max(1, remaining(startNanos)));
            stream.send(codec.encodeArguments(stream, args));
            stream.complete();
            return new RemoteIterator(this, stream, startNanos);
        } catch (RpcException e) {
            closeQuietly(stream);
            throw failed(e, startNanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            closeQuietly(stream);
            throw failed(
                    new RpcException(RpcStatus.CANCELLED, "the caller was interrupted while it waited", e), startNanos);
        }
    }

    private static void closeQuietly(@Nullable BlockingStream stream) {
        if (stream != null) {
            stream.close();
        }
    }

    /** Starts a call; its end goes to the handler, unless this throws. The session can cancel it. */
    RpcSession send(@Nullable Object @Nullable [] args, long startNanos, ResponseHandler handler) {
        RpcSession open = sessions.get(CallKeys.of(args, keyIndex), remaining(startNanos));
        MessageBuffer request = codec.encodeArguments(open, args);
        long remaining = remaining(startNanos);
        if (remaining <= 0) {
            request.close();
            throw new RdmaTimeoutException(
                    "the " + Duration.ofNanos(timeoutNanos) + " it may take were over before it was sent");
        }
        open.call(method.id(), request, remaining, handler);
        return open;
    }

    boolean canSendAtOnce() {
        return sessions.isReady();
    }

    /** The instance has answered, whatever it said. */
    void answered(RpcSession used) {
        sessions.succeeded(used);
    }

    /** What may speak against the instance. */
    void failedOn(@Nullable RpcSession used, RpcException e) {
        if (used != null) {
            sessions.failed(used, e);
        }
    }

    @Nullable
    Object decode(InboundMessage response) {
        try (response) {
            return codec.decodeResult(response);
        }
    }

    void succeeded(long startNanos) {
        observer.onEnd(RpcStatus.OK, null, System.nanoTime() - startNanos);
    }

    /** Notes the end of a call and says which one it was. */
    RpcException failed(RpcException e, long startNanos) {
        RpcException failure = CallFailures.of(method + " at " + target, e);
        observer.onEnd(failure.status(), failure, System.nanoTime() - startNanos);
        return failure;
    }

    private long remaining(long startNanos) {
        return timeoutNanos - (System.nanoTime() - startNanos);
    }
}
