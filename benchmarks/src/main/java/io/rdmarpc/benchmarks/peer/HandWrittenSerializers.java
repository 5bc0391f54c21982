package io.rdmarpc.benchmarks.peer;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import io.rdmarpc.benchmarks.order.LineItem;
import io.rdmarpc.benchmarks.order.Order;
import io.rdmarpc.benchmarks.order.OrderRequest;
import io.rdmarpc.benchmarks.order.Priority;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Kryo serializers as a developer writes them for speed. */
final class HandWrittenSerializers {

    private static final Priority[] PRIORITIES = Priority.values();

    private HandWrittenSerializers() {}

    /** Serializer of requests. */
    static final class OfRequests extends Serializer<OrderRequest> {

        @Override
        public void write(Kryo kryo, Output output, OrderRequest request) {
            output.writeString(request.id());
            output.writeString(request.customer());
            writePriority(output, request.priority());
            writeInstant(output, request.placedAt());
            output.writeVarLong(request.account(), false);
            writeItems(output, request.items());
        }

        @Override
        public OrderRequest read(Kryo kryo, Input input, Class<? extends OrderRequest> type) {
            return new OrderRequest(
                    input.readString(),
                    input.readString(),
                    PRIORITIES[input.readVarInt(true)],
                    Instant.ofEpochSecond(input.readVarLong(true), input.readVarInt(true)),
                    input.readVarLong(false),
                    readItems(input));
        }
    }

    /** Serializer of responses. */
    static final class OfOrders extends Serializer<Order> {

        @Override
        public void write(Kryo kryo, Output output, Order order) {
            output.writeString(order.id());
            output.writeString(order.customer());
            writePriority(output, order.priority());
            writeInstant(output, order.acceptedAt());
            output.writeVarLong(order.totalCents(), false);
            writeItems(output, order.items());
        }

        @Override
        public Order read(Kryo kryo, Input input, Class<? extends Order> type) {
            return new Order(
                    input.readString(),
                    input.readString(),
                    PRIORITIES[input.readVarInt(true)],
                    Instant.ofEpochSecond(input.readVarLong(true), input.readVarInt(true)),
                    input.readVarLong(false),
                    readItems(input));
        }
    }

    @SuppressWarnings("EnumOrdinal") // both sides run the same build
    private static void writePriority(Output output, Priority priority) {
        output.writeVarInt(priority.ordinal(), true);
    }

    @SuppressWarnings("JavaInstantGetSecondsGetNano") // writes both
    private static void writeInstant(Output output, Instant instant) {
        output.writeVarLong(instant.getEpochSecond(), true);
        output.writeVarInt(instant.getNano(), true);
    }

    private static void writeItems(Output output, List<LineItem> items) {
        output.writeVarInt(items.size(), true);
        for (LineItem item : items) {
            output.writeString(item.article());
            output.writeVarInt(item.quantity(), false);
            output.writeVarLong(item.cents(), false);
        }
    }

    private static List<LineItem> readItems(Input input) {
        int count = input.readVarInt(true);
        List<LineItem> items = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            items.add(new LineItem(input.readString(), input.readVarInt(false), input.readVarLong(false)));
        }
        return items;
    }
}
