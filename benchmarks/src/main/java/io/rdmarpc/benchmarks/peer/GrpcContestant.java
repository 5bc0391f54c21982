package io.rdmarpc.benchmarks.peer;

import com.google.protobuf.UnsafeByteOperations;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.rdmarpc.benchmarks.load.CallMode;
import io.rdmarpc.benchmarks.load.Callers;
import io.rdmarpc.benchmarks.load.Contestant;
import io.rdmarpc.benchmarks.load.Payload;
import io.rdmarpc.benchmarks.load.Pipeline;
import io.rdmarpc.benchmarks.load.SentBytes;
import io.rdmarpc.benchmarks.order.OrderDesk;
import io.rdmarpc.benchmarks.proto.BytesMessage;
import io.rdmarpc.benchmarks.proto.OrderMessage;
import io.rdmarpc.benchmarks.proto.OrderRequestMessage;
import io.rdmarpc.benchmarks.proto.OrderServiceGrpc;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * grpc-java with Netty's native epoll transport: plaintext, generated stubs.
 *
 * @param unixSocket whether it uses a Unix domain socket instead of TCP
 * @param direct whether both sides use {@code directExecutor()}, which suits asynchronous code that never blocks.
 *     Otherwise they use the default executors, which blocking code needs
 * @param threads number of event loops of each side, if direct, and of channels, which pipelines use in turn
 */
record GrpcContestant(boolean unixSocket, boolean direct, int threads) implements Contestant {

    private static final int MOST_BYTES = 4 << 20;

    /** Creates a contestant with one channel and, if direct, one event loop. */
    GrpcContestant(boolean unixSocket, boolean direct) {
        this(unixSocket, direct, 1);
    }

    private EventLoopGroup loops() {
        return new MultiThreadIoEventLoopGroup(direct ? threads : 0, EpollIoHandler.newFactory());
    }

    @Override
    public CallMode mode(Payload payload, Callers callers) {
        return new CallMode(
                payload.isOrder() ? "typed, protobuf" : "byte[]",
                direct ? "inline on the event loop" : "default executors",
                "none: event loops sleep in epoll");
    }

    @Override
    public Server serve() throws IOException {
        EventLoopGroup loops = loops();
        SocketAddress address = unixSocket
                ? new DomainSocketAddress(
                        Files.createTempDirectory("grpc").resolve("socket").toString())
                : new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        NettyServerBuilder builder = NettyServerBuilder.forAddress(address)
                .channelType(unixSocket ? EpollServerDomainSocketChannel.class : EpollServerSocketChannel.class)
                .bossEventLoopGroup(loops)
                .workerEventLoopGroup(loops)
                .maxInboundMessageSize(MOST_BYTES)
                .addService(new OrderService());
        io.grpc.Server server =
                (direct ? builder.directExecutor() : builder).build().start();
        return new Server() {
            @Override
            public String address() {
                return unixSocket ? address.toString() : Integer.toString(server.getPort());
            }

            @Override
            public void close() {
                server.shutdownNow();
                var _ = loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
                if (unixSocket) {
                    deleteSocket(Path.of(address.toString()));
                }
            }
        };
    }

    private static void deleteSocket(Path socket) {
        try {
            Files.deleteIfExists(socket);
            Files.deleteIfExists(Objects.requireNonNull(socket.getParent()));
        } catch (IOException e) {
            System.err.println("could not delete the socket, remove it manually: " + socket);
        }
    }

    @Override
    public Client connect(String address) {
        EventLoopGroup loops = loops();
        SocketAddress server = unixSocket
                ? new DomainSocketAddress(address)
                : new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(address));
        NettyChannelBuilder builder = NettyChannelBuilder.forAddress(server)
                .channelType(unixSocket ? EpollDomainSocketChannel.class : EpollSocketChannel.class)
                .eventLoopGroup(loops)
                .maxInboundMessageSize(MOST_BYTES)
                .overrideAuthority("localhost")
                .usePlaintext();
        if (direct) {
            builder.directExecutor();
        }
        return new GrpcClient(
                loops,
                Stream.generate(builder::build)
                        .limit(threads)
                        .map(ManagedChannel.class::cast)
                        .toList());
    }

    private static final class OrderService extends OrderServiceGrpc.OrderServiceImplBase {

        @Override
        public void place(OrderRequestMessage request, StreamObserver<OrderMessage> responses) {
            responses.onNext(ProtobufOrders.message(OrderDesk.accept(ProtobufOrders.request(request))));
            responses.onCompleted();
        }

        @Override
        public void echo(BytesMessage request, StreamObserver<BytesMessage> responses) {
            responses.onNext(bytes(request.getPayload().toByteArray()));
            responses.onCompleted();
        }
    }

    private static BytesMessage bytes(byte[] bytes) {
        return BytesMessage.newBuilder()
                .setPayload(UnsafeByteOperations.unsafeWrap(bytes))
                .build();
    }

    private static final class GrpcClient implements Client {

        private final EventLoopGroup loops;
        private final List<ManagedChannel> channels;
        private final AtomicInteger next = new AtomicInteger();

        GrpcClient(EventLoopGroup loops, List<ManagedChannel> channels) {
            this.loops = loops;
            this.channels = channels;
        }

        private ManagedChannel channel() {
            return channels.get(Math.floorMod(next.getAndIncrement(), channels.size()));
        }

        @Override
        public Caller caller(Payload payload) {
            OrderServiceGrpc.OrderServiceBlockingStub stub = OrderServiceGrpc.newBlockingStub(channel());
            if (payload.isOrder()) {
                return () -> check(stub.place(ProtobufOrders.message(OrderDesk.REQUEST)));
            }
            SentBytes sent = new SentBytes(payload, 1);
            return () ->
                    sent.check(0, stub.echo(bytes(sent.next(0))).getPayload().toByteArray());
        }

        @Override
        public Pipeline pipeline(Payload payload, int outstanding, Pipeline.Ends ends) {
            OrderServiceGrpc.OrderServiceStub stub = OrderServiceGrpc.newStub(channel());
            SentBytes sent = new SentBytes(payload, outstanding);
            return slot -> {
                if (payload.isOrder()) {
                    stub.place(
                            ProtobufOrders.message(OrderDesk.REQUEST),
                            new OneResponse<>(GrpcClient::check, slot, ends));
                } else {
                    stub.echo(
                            bytes(sent.next(slot)),
                            new OneResponse<>(
                                    echo -> sent.check(slot, echo.getPayload().toByteArray()), slot, ends));
                }
            };
        }

        private static void check(OrderMessage order) {
            OrderDesk.check(ProtobufOrders.order(order));
        }

        @Override
        public void close() {
            channels.forEach(ManagedChannel::shutdownNow);
            var _ = loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        }
    }

    private record OneResponse<T>(Consumer<T> check, int slot, Pipeline.Ends ends) implements StreamObserver<T> {

        @Override
        public void onNext(T response) {
            check.accept(response);
        }

        @Override
        public void onError(Throwable failure) {
            ends.failed(failure);
        }

        @Override
        public void onCompleted() {
            ends.ended(slot);
        }
    }
}
