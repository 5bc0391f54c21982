package io.rdmarpc.service.server;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.BlockingStream;
import io.rdmarpc.rpc.FailureWords;
import io.rdmarpc.rpc.InboundMessage;
import io.rdmarpc.rpc.RpcException;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.RpcStatus;
import java.util.Iterator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One call of a method that streams: takes the arguments, the stream's one message from the client, and sends what the
 * method gives as the client takes it. The thread waits with the client.
 */
final class ServerStream implements Runnable {

    /** The client is not there any more; its reason. */
    private static final class ClientGoneException extends Exception {

        private static final long serialVersionUID = 1L;

        final transient RpcException reason;

        ClientGoneException(RpcException reason) {
            super(reason);
            this.reason = reason;
        }
    }

    private final ServerMethod method;
    private final RpcRequest request;
    private final ServerCall call;

    ServerStream(ServerMethod method, RpcRequest request, ServerCall call) {
        this.method = method;
        this.request = request;
        this.call = call;
    }

    @Override
    public void run() {
        if (!call.isWorthRunning()) {
            return;
        }
        BlockingStream stream;
        try {
            stream = BlockingStream.accept(request, 1);
        } catch (RuntimeException e) {
            call.fail(RpcStatus.INVALID_REQUEST, e, "", "a method that streams was called: " + e.getMessage());
            return;
        }
        try (stream) {
            serve(stream);
        }
    }

    private void serve(BlockingStream stream) {
        try {
            readArguments(stream);
            sendAll(stream, call.runMethod());
            stream.complete();
            awaitEnd(stream);
            call.ended(RpcStatus.OK, null);
        } catch (ClientGoneException e) {
            call.ended(e.reason.status(), e.reason);
        } catch (Throwable e) {
            stream.fail(RpcStatus.HANDLER_FAILED, e.getClass().getName(), FailureWords.of(e));
            call.ended(RpcStatus.HANDLER_FAILED, e);
        }
    }

    /** The first message, which always has metadata in front. */
    private void readArguments(BlockingStream stream) throws ClientGoneException, InterruptedException {
        try (InboundMessage message = stream.take()) {
            if (message == null) {
                throw new RpcException(RpcStatus.INVALID_REQUEST, "the stream ended before its arguments");
            }
            call.read(message, true);
        } catch (RpcException e) {
            if (e.status() == RpcStatus.INVALID_REQUEST) {
                throw e;
            }
            throw new ClientGoneException(e);
        }
    }

    private void sendAll(BlockingStream stream, @Nullable Object result)
            throws ClientGoneException, InterruptedException {
        switch (result) {
            case Stream<?> items -> {
                try (items) {
                    sendAll(stream, items.iterator());
                }
            }
            case Iterator<?> items -> sendAll(stream, items);
            case null, default -> throw new IllegalStateException("the method returned null instead of a stream");
        }
    }

    private void sendAll(BlockingStream stream, Iterator<?> items) throws ClientGoneException, InterruptedException {
        while (items.hasNext()) {
            MessageBuffer message = method.codec().encodeResult(stream, items.next());
            try {
                stream.send(message);
            } catch (RpcException e) {
                throw new ClientGoneException(e);
            }
        }
    }

    /** Closing before the client's end is here would cancel what is on its way. */
    private static void awaitEnd(BlockingStream stream) throws ClientGoneException, InterruptedException {
        try {
            InboundMessage more = stream.take();
            while (more != null) {
                more.close();
                more = stream.take();
            }
        } catch (RpcException e) {
            throw new ClientGoneException(e);
        }
    }
}
