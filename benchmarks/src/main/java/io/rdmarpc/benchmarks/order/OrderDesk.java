package io.rdmarpc.benchmarks.order;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Work that is the same for all peers: the order that is placed, what a server does with it, and the check. */
public final class OrderDesk {

    /** Placed again and again. */
    public static final OrderRequest REQUEST = new OrderRequest(
            "order-4711",
            "Ada Lovelace",
            Priority.EXPRESS,
            Instant.parse("2026-11-21T10:15:30.123456789Z"),
            123456789L,
            new ArrayList<>(List.of(
                    new LineItem("article 1", 3, 12_50),
                    new LineItem("article 22", 1, 99_95),
                    new LineItem("article 333", 12, 99))));

    private static final Order EXPECTED = accept(REQUEST);

    private OrderDesk() {}

    /**
     * The server's work.
     *
     * @param request what is wanted
     * @return what is accepted: a new object with the same lines
     */
    public static Order accept(OrderRequest request) {
        long total = 0;
        for (LineItem item : request.items()) {
            total += item.quantity() * item.cents();
        }
        return new Order(
                request.id(), request.customer(), request.priority(), request.placedAt(), total, request.items());
    }

    /**
     * Looks at what the caller got.
     *
     * @param order the answer to {@link #REQUEST}
     */
    public static void check(Order order) {
        if (order.totalCents() != EXPECTED.totalCents()
                || order.items().size() != EXPECTED.items().size()
                || !order.acceptedAt().equals(EXPECTED.acceptedAt())) {
            throw new IllegalStateException("the answer is not what was ordered: " + order);
        }
    }
}
