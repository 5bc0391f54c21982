package io.rdmarpc.service.client;

import io.rdmarpc.rpc.BlockingStream;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.codec.MethodCodec;
import io.rdmarpc.service.stream.Elements;
import io.rdmarpc.service.stream.Reactor;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Calls whose result or last argument is a stream. Each uses one stream of the engine. The first message to the
 * server carries metadata and arguments, and each further one an element. Each message from the server carries an
 * element or the only result.
 */
final class StreamingCall {

    /** Maximum elements that a server sends ahead of the caller. */
    private static final int CREDITS = 8;

    private final ClientMethod method;
    private final @Nullable MethodCodec elements;

    StreamingCall(ClientMethod method, @Nullable MethodCodec elements) {
        this.method = method;
        this.elements = elements;
    }

    /** Starts a call. Returns the method's return value. */
    @Nullable
    Object start(ClientCall call) {
        return switch (method.method().shape()) {
            case VALUE -> one(call);
            case FUTURE -> future(call);
            case MONO -> Reactor.monoOf(() -> future(call));
            case STREAM -> open(call).asStream();
            case ITERATOR -> open(call);
            case FLUX ->
                Reactor.fluxOf(() -> {
                    RemoteIterator items = open(call);
                    return new Elements(items, items::close);
                });
        };
    }

    private @Nullable Object one(ClientCall call) {
        try (RemoteIterator results = open(call)) {
            if (!results.hasNext()) {
                throw call.failed(
                        new RdmaRpcException(RpcStatus.INTERNAL, "the server ended the stream without a result"));
            }
            Object result = results.next();
            results.awaitEnd();
            return result;
        }
    }

    private CompletableFuture<@Nullable Object> future(ClientCall call) {
        WaitingFuture future = new WaitingFuture();
        future.waiter = Thread.ofVirtual().name("rdma-call").start(() -> {
            try {
                future.complete(one(call));
            } catch (Throwable e) {
                future.completeExceptionally(e);
            }
        });
        return future;
    }

    /** Cancelling the future interrupts the waiting thread, which ends the stream. */
    private static final class WaitingFuture extends CompletableFuture<@Nullable Object> {

        private volatile @Nullable Thread waiter;

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            Thread waiting = waiter;
            if (cancelled && waiting != null) {
                waiting.interrupt();
            }
            return cancelled;
        }
    }

    /**
     * Opens the stream. If the server has not run the call, the stream is opened again, because no element of the
     * argument was consumed.
     */
    private RemoteIterator open(ClientCall call) {
        while (true) {
            try {
                return openOnce(call);
            } catch (RdmaRpcException e) {
                method.recordFailure(call, e);
                Duration pause = call.pauseAfter(e, RetryPolicy.ONCE);
                if (pause == null || !ClientMethod.slept(pause)) {
                    throw call.failed(e);
                }
            }
        }
    }

    private RemoteIterator openOnce(ClientCall call) {
        BlockingStream stream = null;
        try {
            RpcSession session = method.session(call);
            stream = BlockingStream.open(session, method.method().id(), CREDITS, Math.max(1, call.remainingNanos()));
            call.markSent();
            stream.send(method.codec()
                    .encodeArguments(session, new MetadataAllocator(stream, call.metadata()), argumentsAtOnce(call)));
            return new RemoteIterator(method, new OpenStream(call, stream, pump(call, session, stream)));
        } catch (RdmaRpcException e) {
            closeQuietly(stream);
            throw e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            closeQuietly(stream);
            throw new RdmaRpcException(
                    RpcStatus.CANCELLED, "the caller was interrupted while it sent the arguments", e);
        } catch (RuntimeException | Error e) {
            closeQuietly(stream);
            call.end(RpcStatus.CANCELLED, e);
            throw e;
        }
    }

    private @Nullable Object[] argumentsAtOnce(ClientCall call) {
        @Nullable Object[] all = call.arguments();
        return elements == null ? all : Arrays.copyOf(all, all.length - 1);
    }

    private @Nullable ElementPump pump(ClientCall call, RpcSession session, BlockingStream stream) {
        if (elements == null) {
            stream.complete();
            return null;
        }
        Object source = call.arguments()[call.arguments().length - 1];
        if (source == null) {
            throw new IllegalArgumentException(method.method() + ": the argument with the stream of elements is null");
        }
        ElementPump pump = new ElementPump(session, stream, elements, source);
        pump.start();
        return pump;
    }

    private static void closeQuietly(@Nullable BlockingStream stream) {
        if (stream != null) {
            stream.close();
        }
    }
}
