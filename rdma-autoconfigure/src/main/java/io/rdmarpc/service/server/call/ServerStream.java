package io.rdmarpc.service.server.call;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.BlockingStream;
import io.rdmarpc.rpc.RpcCancellation;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.service.codec.MethodCodec;
import io.rdmarpc.service.contract.ResultShape;
import io.rdmarpc.service.stream.Elements;
import io.rdmarpc.service.stream.Reactor;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One call of a method that streams. The first message from the client carries metadata and arguments, and each
 * further one an element of the last argument. Each message to the client carries an element of the result, or the
 * only result. The call's thread waits for the client.
 */
final class ServerStream implements Runnable {

    /** Maximum elements that the client sends ahead of the method. The first message uses one credit. */
    private static final int CREDITS = 8;

    /** The client has ended the stream, for the given reason. */
    static final class ClientGoneException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        final transient RdmaRpcException reason;

        ClientGoneException(RdmaRpcException reason) {
            super(reason);
            this.reason = reason;
        }
    }

    private final ServerMethod method;
    private final @Nullable MethodCodec elements;
    private final RpcRequest request;
    private final ServerCall call;

    ServerStream(ServerMethod method, @Nullable MethodCodec elements, RpcRequest request, ServerCall call) {
        this.method = method;
        this.elements = elements;
        this.request = request;
        this.call = call;
    }

    @Override
    public void run() {
        if (!call.mayRun()) {
            return;
        }
        BlockingStream stream;
        try {
            stream = BlockingStream.accept(request, elements == null ? 1 : CREDITS);
        } catch (RuntimeException e) {
            call.fail(
                    RpcStatus.INVALID_REQUEST,
                    e,
                    "",
                    "the method streams, but the request is not a stream: " + e.getMessage());
            return;
        }
        try (stream) {
            serve(stream);
        }
    }

    private void serve(BlockingStream stream) {
        call.respondWith(stream);
        try {
            readArguments(stream);
            respond(stream, runMethod());
            stream.complete();
            awaitEnd(stream);
            call.ended(RpcStatus.OK, null);
        } catch (ClientGoneException e) {
            call.ended(e.reason.status(), e.reason);
        } catch (Throwable e) {
            Throwable thrown = call.isCancelled() ? clientEndOr(stream, e) : ServerCall.thrown(e);
            if (thrown instanceof ClientGoneException gone) {
                call.ended(gone.reason.status(), gone.reason);
            } else {
                FailureResponse failure = call.failureResponse(thrown);
                stream.fail(failure.status(), failure.remoteType(), failure.message(), failure.details());
                call.ended(failure.status(), thrown);
            }
        }
    }

    /**
     * Returns the end of the stream if the client has ended it, otherwise the method's exception. The exception may
     * be a consequence, such as an interrupt.
     */
    private static Throwable clientEndOr(BlockingStream stream, Throwable failure) {
        try {
            awaitEnd(stream);
        } catch (ClientGoneException gone) {
            return gone;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return ServerCall.thrown(failure);
    }

    private @Nullable Object runMethod() throws Throwable {
        if (!method.interruptible()) {
            return call.runMethod();
        }
        Thread worker = Thread.currentThread();
        try (RpcCancellation.Scope _ = StreamInterrupt.of(call, worker)) {
            return call.runMethod();
        }
    }

    private void readArguments(BlockingStream stream) throws InterruptedException {
        try (InboundMessage message = stream.take()) {
            if (message == null) {
                throw new RdmaRpcException(RpcStatus.INVALID_REQUEST, "the stream ended before its arguments");
            }
            call.read(message, true);
        } catch (RdmaRpcException e) {
            throw e.status() == RpcStatus.INVALID_REQUEST ? e : new ClientGoneException(e);
        }
        ResultShape streamed = method.method().streamedShape();
        if (elements != null && streamed != null) {
            call.addArgument(new IncomingElements(stream, elements).as(streamed));
        }
    }

    private void respond(BlockingStream stream, @Nullable Object result) throws Throwable {
        if (!method.method().shape().isMany()) {
            send(stream, valueOf(stream, result));
        } else {
            call.inScope(() -> sendAll(stream, result));
        }
    }

    private @Nullable Object sendAll(BlockingStream stream, @Nullable Object result) throws InterruptedException {
        try (Elements items = elementsOf(result);
                SourceWatch watch = new SourceWatch(items, method.interruptible())) {
            stream.whenFailed(watch::clientGone);
            Iterator<?> iterator = items.iterator();
            while (iterator.hasNext()) {
                send(stream, iterator.next());
            }
        }
        return null;
    }

    private Elements elementsOf(@Nullable Object result) {
        if (result != null && method.method().shape() == ResultShape.FLUX) {
            return Elements.of(Reactor.within(result, call));
        }
        return Elements.of(result);
    }

    private @Nullable Object valueOf(BlockingStream stream, @Nullable Object result) throws Throwable {
        CompletionStage<?> stage = method.stageOf(result, call);
        if (stage == null) {
            return result;
        }
        CompletableFuture<?> value = stage.toCompletableFuture();
        // Cancelling a future runs its dependents, which must not run on the polling thread.
        stream.whenFailed(() -> Thread.ofVirtual().start(() -> value.cancel(true)));
        return value.get();
    }

    private void send(BlockingStream stream, @Nullable Object item) throws InterruptedException {
        MessageBuffer message = method.codec().encodeResult(stream, item);
        try {
            stream.send(message);
        } catch (RdmaRpcException e) {
            throw new ClientGoneException(e);
        }
    }

    /** Waits for the client's end of the stream. Closing the stream earlier would cancel elements in transit. */
    private static void awaitEnd(BlockingStream stream) throws InterruptedException {
        try {
            InboundMessage more = stream.take();
            while (more != null) {
                more.close();
                more = stream.take();
            }
        } catch (RdmaRpcException e) {
            throw new ClientGoneException(e);
        }
    }
}
