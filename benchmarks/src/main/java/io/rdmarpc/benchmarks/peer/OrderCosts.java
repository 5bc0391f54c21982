package io.rdmarpc.benchmarks.peer;

import com.sun.management.ThreadMXBean;
import io.rdmarpc.benchmarks.order.LineItem;
import io.rdmarpc.benchmarks.order.Order;
import io.rdmarpc.benchmarks.order.OrderDesk;
import io.rdmarpc.benchmarks.order.OrderRequest;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.service.codec.MethodCodec;
import io.rdmarpc.service.codec.kryo.KryoRdmaSerializer;
import io.rdmarpc.service.contract.ServiceDescription;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * Measures the parts of a typed call that are not transport, in this process only: the time of the codec, and the
 * user's own objects.
 */
public final class OrderCosts {

    private static final int CALLS = 200_000;
    private static final int PASSES = 10;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Object[] arguments = {OrderDesk.REQUEST};
    /** One codec for all passes, as a proxy has, because each new codec generates new classes to compile. */
    private final MethodCodec codec = codec();

    private long seen;

    private OrderCosts() {}

    /**
     * Prints one line.
     *
     * @param arguments {@code codec} for the time of both codecs in both directions in microseconds, {@code objects}
     *     for the bytes of the objects of a request
     */
    public static void main(String... arguments) {
        OrderCosts costs = new OrderCosts();
        boolean codec = arguments[0].equals("codec");
        double least = Double.MAX_VALUE;
        for (int pass = 0; pass < PASSES; pass++) {
            least = Math.min(least, codec ? costs.codecMicros() : costs.objectBytes());
        }
        System.out.printf(Locale.ROOT, "%s %.3f %d%n", arguments[0], least, costs.seen);
    }

    private double codecMicros() {
        try (PacketMemory memory = PacketMemory.open()) {
            long start = System.nanoTime();
            for (int i = 0; i < CALLS; i++) {
                roundTrip(memory);
            }
            return (System.nanoTime() - start) / 1e3 / CALLS;
        }
    }

    /**
     * Creates the codec of the typed call.
     *
     * @return the codec that a proxy would use
     */
    public static MethodCodec codec() {
        ServiceDescription service = ServiceDescription.of(Orders.class);
        return KryoRdmaSerializer.codecFactory(Orders.class.getClassLoader(), List.of())
                .codecOf(service)
                .method(service.methods().stream()
                        .filter(method -> method.name().equals("place"))
                        .findFirst()
                        .orElseThrow());
    }

    private void roundTrip(PacketMemory memory) {
        try (MessageBuffer request = codec.encodeArguments(memory, arguments)) {
            OrderRequest received =
                    (OrderRequest) Objects.requireNonNull(codec.decodeArguments(new Arrived(request))[0]);
            try (MessageBuffer response = codec.encodeResult(memory, OrderDesk.accept(received))) {
                Order order = (Order) Objects.requireNonNull(codec.decodeResult(new Arrived(response)));
                seen += order.totalCents();
            }
        }
    }

    /**
     * A received message, read in place.
     *
     * @param payload bytes of the message
     */
    public record Arrived(MemorySegment payload) implements InboundMessage {

        /**
         * Creates a received message from a written buffer.
         *
         * @param buffer the buffer, which must stay open while this message is used
         */
        public Arrived(MessageBuffer buffer) {
            this(buffer.segment().asSlice(0, buffer.length()).asReadOnly());
        }

        @Override
        public int length() {
            return (int) payload.byteSize();
        }

        @Override
        public void close() {
            // The owner closes the buffer.
        }
    }

    private double objectBytes() {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < CALLS; i++) {
            seen += copy(OrderDesk.REQUEST).items().size();
        }
        return (double) (THREADS.getCurrentThreadAllocatedBytes() - before) / CALLS;
    }

    /** Returns a deep copy, as each receiver of a message creates. */
    @SuppressWarnings({"StringOperationCanBeSimplified", "JavaInstantGetSecondsGetNano"})
    private static OrderRequest copy(OrderRequest request) {
        List<LineItem> items = new ArrayList<>(request.items().size());
        for (LineItem item : request.items()) {
            items.add(new LineItem(copy(item.article()), item.quantity(), item.cents()));
        }
        Instant placedAt = Instant.ofEpochSecond(
                request.placedAt().getEpochSecond(), request.placedAt().getNano());
        OrderRequest copy = new OrderRequest(
                copy(request.id()), copy(request.customer()), request.priority(), placedAt, request.account(), items);
        kept = copy;
        return copy;
    }

    private static String copy(String text) {
        return new String(text.toCharArray(), 0, text.length());
    }

    /** Keeps the JIT compiler from eliminating the objects. */
    @SuppressWarnings("unused")
    private static volatile OrderRequest kept = OrderDesk.REQUEST;
}
