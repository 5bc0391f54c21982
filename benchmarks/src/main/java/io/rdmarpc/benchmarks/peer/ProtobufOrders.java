package io.rdmarpc.benchmarks.peer;

import com.google.protobuf.Timestamp;
import io.rdmarpc.benchmarks.order.LineItem;
import io.rdmarpc.benchmarks.order.Order;
import io.rdmarpc.benchmarks.order.OrderRequest;
import io.rdmarpc.benchmarks.order.Priority;
import io.rdmarpc.benchmarks.proto.LineItemMessage;
import io.rdmarpc.benchmarks.proto.OrderMessage;
import io.rdmarpc.benchmarks.proto.OrderRequestMessage;
import io.rdmarpc.benchmarks.proto.PriorityMessage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Maps an application's records to protobuf messages and back. */
final class ProtobufOrders {

    private ProtobufOrders() {}

    static OrderRequestMessage message(OrderRequest request) {
        OrderRequestMessage.Builder message = OrderRequestMessage.newBuilder()
                .setId(request.id())
                .setCustomer(request.customer())
                .setPriority(message(request.priority()))
                .setPlacedAt(message(request.placedAt()))
                .setAccount(request.account());
        request.items().forEach(item -> message.addItems(message(item)));
        return message.build();
    }

    static OrderRequest request(OrderRequestMessage message) {
        return new OrderRequest(
                message.getId(),
                message.getCustomer(),
                priority(message.getPriority()),
                instant(message.getPlacedAt()),
                message.getAccount(),
                items(message.getItemsList()));
    }

    static OrderMessage message(Order order) {
        OrderMessage.Builder message = OrderMessage.newBuilder()
                .setId(order.id())
                .setCustomer(order.customer())
                .setPriority(message(order.priority()))
                .setAcceptedAt(message(order.acceptedAt()))
                .setTotalCents(order.totalCents());
        order.items().forEach(item -> message.addItems(message(item)));
        return message.build();
    }

    static Order order(OrderMessage message) {
        return new Order(
                message.getId(),
                message.getCustomer(),
                priority(message.getPriority()),
                instant(message.getAcceptedAt()),
                message.getTotalCents(),
                items(message.getItemsList()));
    }

    private static LineItemMessage message(LineItem item) {
        return LineItemMessage.newBuilder()
                .setArticle(item.article())
                .setQuantity(item.quantity())
                .setCents(item.cents())
                .build();
    }

    private static List<LineItem> items(List<LineItemMessage> messages) {
        List<LineItem> items = new ArrayList<>(messages.size());
        for (LineItemMessage message : messages) {
            items.add(new LineItem(message.getArticle(), message.getQuantity(), message.getCents()));
        }
        return items;
    }

    private static PriorityMessage message(Priority priority) {
        return priority == Priority.EXPRESS ? PriorityMessage.EXPRESS : PriorityMessage.STANDARD;
    }

    private static Priority priority(PriorityMessage message) {
        return message == PriorityMessage.EXPRESS ? Priority.EXPRESS : Priority.STANDARD;
    }

    @SuppressWarnings("JavaInstantGetSecondsGetNano") // writes both
    private static Timestamp message(Instant instant) {
        return Timestamp.newBuilder()
                .setSeconds(instant.getEpochSecond())
                .setNanos(instant.getNano())
                .build();
    }

    private static Instant instant(Timestamp message) {
        return Instant.ofEpochSecond(message.getSeconds(), message.getNanos());
    }
}
