package io.rdmarpc.benchmarks.order;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * The application code that is the same for all peers: the request, the server's work, and the check of the response.
 */
public final class OrderDesk {

    /** The request of every call. */
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
     * Accepts an order: the server's work.
     *
     * @param request the request
     * @return the accepted order: a new object with the same lines
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
     * Checks the response to {@link #REQUEST}.
     *
     * @param order the accepted order
     */
    public static void check(Order order) {
        if (order.totalCents() != EXPECTED.totalCents()
                || order.items().size() != EXPECTED.items().size()
                || !order.acceptedAt().equals(EXPECTED.acceptedAt())) {
            throw new IllegalStateException("the response does not match the request: " + order);
        }
    }
}
