package io.rdmarpc.benchmarks.peer;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import io.netty.buffer.ByteBuf;
import io.rdmarpc.benchmarks.load.CallMode;
import io.rdmarpc.benchmarks.load.Callers;
import io.rdmarpc.benchmarks.load.Contestant;
import io.rdmarpc.benchmarks.load.Payload;
import io.rdmarpc.benchmarks.load.Pipeline;
import io.rdmarpc.benchmarks.load.SentBytes;
import io.rdmarpc.benchmarks.order.Order;
import io.rdmarpc.benchmarks.order.OrderDesk;
import io.rdmarpc.benchmarks.order.OrderRequest;
import io.rsocket.RSocket;
import io.rsocket.SocketAcceptor;
import io.rsocket.core.RSocketConnector;
import io.rsocket.core.RSocketServer;
import io.rsocket.frame.decoder.PayloadDecoder;
import io.rsocket.transport.netty.client.TcpClientTransport;
import io.rsocket.transport.netty.server.CloseableChannel;
import io.rsocket.transport.netty.server.TcpServerTransport;
import io.rsocket.util.DefaultPayload;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import reactor.core.publisher.Mono;

/**
 * RSocket-java over TCP: one connection, request and response, zero-copy decoding of frames, orders serialized by
 * Kryo's own record serializers.
 */
record RSocketContestant() implements Contestant {

    private static final String HOST = "127.0.0.1";
    /** Metadata by which the server recognizes the kind of payload. */
    private static final byte[] ORDER = "order".getBytes(StandardCharsets.US_ASCII);

    private static final byte[] BYTES = "bytes".getBytes(StandardCharsets.US_ASCII);
    private static final int ORDER_BYTES = 1 << 12;
    private static final Duration LONG = Duration.ofSeconds(20);

    /** Kryo with its buffers, for one thread. */
    private static final class Codec {

        private final Kryo kryo = OrderCodec.STOCK.newKryo();
        private final Output output = new Output(ORDER_BYTES);
        private final Input input = new Input();

        byte[] write(Object order) {
            output.reset();
            kryo.writeObject(output, order);
            return output.toBytes();
        }

        <T> T read(Class<T> type, byte[] bytes) {
            input.setBuffer(bytes);
            return kryo.readObject(input, type);
        }
    }

    private static final ThreadLocal<Codec> CODEC = ThreadLocal.withInitial(Codec::new);

    @Override
    public CallMode mode(Payload payload, Callers callers) {
        return new CallMode(
                payload.isOrder() ? "typed, Kryo with " + OrderCodec.STOCK.text() + " serializers" : "byte[]",
                "inline on the event loop",
                "none: event loops sleep in epoll");
    }

    @Override
    public Server serve() {
        CloseableChannel server = RSocketServer.create(
                        SocketAcceptor.forRequestResponse(request -> Mono.just(respond(request))))
                .payloadDecoder(PayloadDecoder.ZERO_COPY)
                .bindNow(TcpServerTransport.create(HOST, 0));
        return new Server() {
            @Override
            public String address() {
                return Integer.toString(server.address().getPort());
            }

            @Override
            public void close() {
                server.dispose();
            }
        };
    }

    private static io.rsocket.Payload respond(io.rsocket.Payload request) {
        boolean order = request.sliceMetadata().getByte(0) == ORDER[0];
        byte[] bytes = bytesOf(request);
        Codec codec = CODEC.get();
        return DefaultPayload.create(
                order ? codec.write(OrderDesk.accept(codec.read(OrderRequest.class, bytes))) : bytes);
    }

    /** Copies the bytes out of the frame and releases the frame. */
    private static byte[] bytesOf(io.rsocket.Payload payload) {
        ByteBuf data = payload.sliceData();
        byte[] bytes = new byte[data.readableBytes()];
        data.readBytes(bytes);
        payload.release();
        return bytes;
    }

    @Override
    public Client connect(String address) {
        RSocket socket = RSocketConnector.create()
                .payloadDecoder(PayloadDecoder.ZERO_COPY)
                .connect(TcpClientTransport.create(HOST, Integer.parseInt(address)))
                .block(LONG);
        if (socket == null) {
            throw new IllegalStateException("the RSocket client did not connect");
        }
        return new RSocketClient(socket);
    }

    private record RSocketClient(RSocket socket) implements Client {

        @Override
        public Caller caller(Payload payload) {
            SentBytes sent = new SentBytes(payload, 1);
            return () -> {
                byte[] response = call(payload, sent, 0).block(LONG);
                check(
                        payload,
                        sent,
                        0,
                        Objects.requireNonNull(response, "the server completed the call without a response"));
            };
        }

        @Override
        public Pipeline pipeline(Payload payload, int outstanding, Pipeline.Ends ends) {
            SentBytes sent = new SentBytes(payload, outstanding);
            return slot -> call(payload, sent, slot)
                    .subscribe(
                            response -> {
                                check(payload, sent, slot, response);
                                ends.ended(slot);
                            },
                            ends::failed);
        }

        private Mono<byte[]> call(Payload payload, SentBytes sent, int slot) {
            io.rsocket.Payload request = payload.isOrder()
                    ? DefaultPayload.create(CODEC.get().write(OrderDesk.REQUEST), ORDER)
                    : DefaultPayload.create(sent.next(slot), BYTES);
            return socket.requestResponse(request).map(RSocketContestant::bytesOf);
        }

        private static void check(Payload payload, SentBytes sent, int slot, byte[] response) {
            if (payload.isOrder()) {
                OrderDesk.check(CODEC.get().read(Order.class, response));
            } else {
                sent.check(slot, response);
            }
        }

        @Override
        public void close() {
            socket.dispose();
        }
    }
}
