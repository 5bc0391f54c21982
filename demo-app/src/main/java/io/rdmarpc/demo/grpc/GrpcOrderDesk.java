package io.rdmarpc.demo.grpc;

import io.grpc.stub.StreamObserver;
import io.rdmarpc.demo.Amendment;
import io.rdmarpc.demo.Fill;
import io.rdmarpc.demo.OrderService;
import io.rdmarpc.demo.proto.AmendmentMessage;
import io.rdmarpc.demo.proto.FillMessage;
import io.rdmarpc.demo.proto.FillsRequestMessage;
import io.rdmarpc.demo.proto.MaybeReceiptMessage;
import io.rdmarpc.demo.proto.OrderDeskGrpc;
import io.rdmarpc.demo.proto.OrderIdMessage;
import io.rdmarpc.demo.proto.OrderMessage;
import io.rdmarpc.demo.proto.ReceiptMessage;
import io.rdmarpc.demo.proto.ReportMessage;
import io.rdmarpc.demo.proto.ReportRequestMessage;
import java.util.stream.Stream;

/** The same bean over gRPC. */
final class GrpcOrderDesk extends OrderDeskGrpc.OrderDeskImplBase {

    private final OrderService orders;

    GrpcOrderDesk(OrderService orders) {
        this.orders = orders;
    }

    @Override
    public void place(OrderMessage request, StreamObserver<ReceiptMessage> responses) {
        respond(responses, Messages.message(orders.place(Messages.order(request))));
    }

    @Override
    public void amend(AmendmentMessage request, StreamObserver<MaybeReceiptMessage> responses) {
        respond(responses, Messages.maybe(orders.amend(new Amendment(request.getOrderId(), request.getTimes()))));
    }

    @Override
    public void find(OrderIdMessage request, StreamObserver<MaybeReceiptMessage> responses) {
        respond(responses, Messages.maybe(orders.find(request.getOrderId())));
    }

    @Override
    public void fills(FillsRequestMessage request, StreamObserver<FillMessage> responses) {
        try (Stream<Fill> fills = orders.fills(request.getOrderId(), request.getParts())) {
            fills.map(Messages::message).forEachOrdered(responses::onNext);
        }
        responses.onCompleted();
    }

    @Override
    public void report(ReportRequestMessage request, StreamObserver<ReportMessage> responses) {
        respond(responses, Messages.message(orders.report(request.getCustomer(), request.getYear())));
    }

    private static <T> void respond(StreamObserver<T> responses, T response) {
        responses.onNext(response);
        responses.onCompleted();
    }
}
