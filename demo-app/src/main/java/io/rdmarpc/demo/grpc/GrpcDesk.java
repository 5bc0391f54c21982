package io.rdmarpc.demo.grpc;

import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.rdmarpc.demo.Amendment;
import io.rdmarpc.demo.Fill;
import io.rdmarpc.demo.Order;
import io.rdmarpc.demo.OrderService;
import io.rdmarpc.demo.Receipt;
import io.rdmarpc.demo.Report;
import io.rdmarpc.demo.proto.AmendmentMessage;
import io.rdmarpc.demo.proto.FillMessage;
import io.rdmarpc.demo.proto.FillsRequestMessage;
import io.rdmarpc.demo.proto.OrderDeskGrpc;
import io.rdmarpc.demo.proto.OrderDeskGrpc.OrderDeskBlockingStub;
import io.rdmarpc.demo.proto.OrderDeskGrpc.OrderDeskStub;
import io.rdmarpc.demo.proto.OrderIdMessage;
import io.rdmarpc.demo.proto.ReceiptMessage;
import io.rdmarpc.demo.proto.ReportRequestMessage;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Iterator;
import java.util.Optional;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * The order service over gRPC: one channel, plaintext, generated stubs, grpc-java's default executor. Thread-safe. The
 * owner closes it.
 */
public final class GrpcDesk implements OrderService, AutoCloseable {

    private final ManagedChannel channel;
    private final OrderDeskBlockingStub blocking;
    private final OrderDeskStub async;

    /** Creates a client of the server on a port of the loopback interface. The first call connects. */
    public GrpcDesk(int port) {
        this(port, _ -> {});
    }

    /**
     * Creates a client whose channel the caller configures further.
     *
     * @param configuration changes the builder of the channel
     */
    public GrpcDesk(int port, Consumer<NettyChannelBuilder> configuration) {
        NettyChannelBuilder builder = NettyChannelBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .usePlaintext();
        configuration.accept(builder);
        channel = builder.build();
        blocking = OrderDeskGrpc.newBlockingStub(channel);
        async = OrderDeskGrpc.newStub(channel);
    }

    @Override
    public Receipt place(Order order) {
        return Messages.receipt(blocking.place(Messages.message(order)));
    }

    @Override
    public CompletableFuture<Receipt> placeLater(Order order) {
        CompletableFuture<Receipt> receipt = new CompletableFuture<>();
        async.place(Messages.message(order), new StreamObserver<>() {
            @Override
            public void onNext(ReceiptMessage response) {
                receipt.complete(Messages.receipt(response));
            }

            @Override
            public void onError(Throwable failure) {
                receipt.completeExceptionally(failure);
            }

            @Override
            public void onCompleted() {
                receipt.completeExceptionally(new IllegalStateException("the server sent no receipt"));
            }
        });
        return receipt;
    }

    @Override
    public Optional<Receipt> amend(Amendment amendment) {
        return Messages.maybe(blocking.amend(AmendmentMessage.newBuilder()
                .setOrderId(amendment.orderId())
                .setTimes(amendment.times())
                .build()));
    }

    @Override
    public Optional<Receipt> find(String orderId) {
        return Messages.maybe(
                blocking.find(OrderIdMessage.newBuilder().setOrderId(orderId).build()));
    }

    /** Reads the fills as they arrive. Closing the stream cancels the call. */
    @Override
    public Stream<Fill> fills(String orderId, int parts) {
        FillsRequestMessage request = FillsRequestMessage.newBuilder()
                .setOrderId(orderId)
                .setParts(parts)
                .build();
        Context.CancellableContext call = Context.current().withCancellation();
        Context previous = call.attach();
        Iterator<FillMessage> fills;
        try {
            fills = blocking.fills(request);
        } finally {
            call.detach(previous);
        }
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(fills, Spliterator.ORDERED), false)
                .map(Messages::fill)
                .onClose(() -> call.cancel(null));
    }

    @Override
    public Report report(String customer, int year) {
        return Messages.report(blocking.report(ReportRequestMessage.newBuilder()
                .setCustomer(customer)
                .setYear(year)
                .build()));
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
