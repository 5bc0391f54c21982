package io.rdmarpc.rpc.runtime;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.BlockingStream;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.message.InboundMessage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** A service whose only method sends back every message of a stream, and its client. */
final class StreamEcho {

    private static final String SERVICE = "test.StreamEcho";
    private static final String SIGNATURE = "stream<byte[]> echo(stream<byte[]>)";

    static final int ECHO = ServiceContract.methodId(SERVICE, SIGNATURE);

    private StreamEcho() {}

    static ServiceExport export(Executor executor) {
        return new ServiceExport(
                new ServiceContract(SERVICE, List.of(new ServiceContract.Method(ECHO, SIGNATURE)), List.of()),
                List.of(new ServiceExport.Method(ECHO, StreamEcho::echo, executor)));
    }

    private static void echo(RpcRequest request) throws InterruptedException {
        try (BlockingStream stream = BlockingStream.accept(request, 8)) {
            InboundMessage message = stream.take();
            while (message != null) {
                try (InboundMessage sentBack = message) {
                    MessageBuffer reply = stream.allocate(sentBack.length());
                    MemorySegment.copy(sentBack.payload(), 0, reply.segment(), 0, sentBack.length());
                    reply.length(sentBack.length());
                    stream.send(reply);
                }
                message = stream.take();
            }
            stream.complete();
        }
    }

    static int size(int number) {
        return number % 20 == 7 ? 100_000 + number : number % 400;
    }

    /** Sends messages and checks the echoes; returns a description of the first fault, or an empty text. */
    static String check(RpcSession session, int messages, long seed) throws Exception {
        try (BlockingStream stream = BlockingStream.open(session, ECHO, 8, Runtimes.LONG.toNanos())) {
            CompletableFuture<Void> sent = new CompletableFuture<>();
            Thread.ofVirtual().start(() -> {
                try {
                    sendAll(stream, messages, seed);
                    sent.complete(null);
                } catch (Throwable e) {
                    sent.completeExceptionally(e);
                }
            });
            for (int i = 0; i < messages; i++) {
                InboundMessage message = stream.take();
                if (message == null) {
                    return "the stream ended after " + i + " messages";
                }
                try (message) {
                    String difference = Echo.difference(
                            Echo.payload(size(i), seed + i), message.payload().toArray(ValueLayout.JAVA_BYTE));
                    if (difference != null) {
                        return "message " + i + ": " + difference;
                    }
                }
            }
            Runtimes.get(sent);
            return stream.take() == null ? "" : "a superfluous message";
        }
    }

    private static void sendAll(BlockingStream stream, int messages, long seed) throws InterruptedException {
        for (int i = 0; i < messages; i++) {
            byte[] payload = Echo.payload(size(i), seed + i);
            MessageBuffer message = stream.allocate(payload.length);
            MemorySegment.copy(payload, 0, message.segment(), ValueLayout.JAVA_BYTE, 0, payload.length);
            message.length(payload.length);
            stream.send(message);
        }
        stream.complete();
    }
}
