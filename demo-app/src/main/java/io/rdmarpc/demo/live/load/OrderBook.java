package io.rdmarpc.demo.live.load;

import io.rdmarpc.demo.Amendment;
import io.rdmarpc.demo.Fill;
import io.rdmarpc.demo.Order;
import io.rdmarpc.demo.OrderRules;
import io.rdmarpc.demo.OrderService;
import io.rdmarpc.demo.Receipt;
import io.rdmarpc.demo.Report;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Calls and their expected responses, built in advance so that callers spend little time on building and checking. */
public final class OrderBook {

    static final int PARTS = 32;

    private static final int ORDERS = 512;
    private static final int YEAR = 2026;
    private static final String CUSTOMER = "customer-7";

    private final List<Order> orders = new ArrayList<>(ORDERS);
    private final List<Receipt> receipts = new ArrayList<>(ORDERS);
    private final int reportBytes = OrderRules.report(CUSTOMER, YEAR).csv().length;

    public OrderBook(int payloadBytes) {
        String instructions = "ring twice. ".repeat(payloadBytes / 12 + 1).substring(0, payloadBytes);
        for (int number = 0; number < ORDERS; number++) {
            Order order = OrderRules.order(number).withInstructions(instructions);
            orders.add(order);
            receipts.add(OrderRules.receipt(order));
        }
    }

    int reportBytes() {
        return reportBytes;
    }

    /** Makes one call. Throws if the call fails or the response is wrong. */
    void call(OrderService desk, Workload workload, long number) {
        int index = indexOf(number);
        switch (workload) {
            case PLACE, PLACE_ASYNC -> check(receipts.get(index).equals(desk.place(orders.get(index))));
            case AMEND -> amend(desk, index);
            case FILLS -> readFills(desk, orders.get(index).id());
            case REPORT -> report(desk);
        }
    }

    /** Starts a call. The future fails if the call fails or the response is wrong. */
    CompletableFuture<?> callLater(OrderService desk, long number) {
        int index = indexOf(number);
        return desk.placeLater(orders.get(index))
                .thenAccept(receipt -> check(receipts.get(index).equals(receipt)));
    }

    /** Places all orders, because the server can amend only orders that it knows. */
    public void placeAll(OrderService desk) {
        orders.forEach(order -> desk.place(order.withInstructions("")));
    }

    private static int indexOf(long number) {
        return (int) (number % ORDERS);
    }

    private void amend(OrderService desk, int index) {
        Receipt placed = receipts.get(index);
        Receipt amended = desk.amend(new Amendment(placed.orderId(), 3))
                .orElseThrow(() -> new IllegalStateException("the server no longer has order " + placed.orderId()));
        check(amended.pieces() == 3 * placed.pieces());
    }

    private static void readFills(OrderService desk, String orderId) {
        int count = 0;
        try (Stream<Fill> fills = desk.fills(orderId, PARTS)) {
            for (Iterator<Fill> next = fills.iterator(); next.hasNext(); count++) {
                check(next.next().number() == count);
            }
        }
        check(count == PARTS);
    }

    private void report(OrderService desk) {
        Report report = desk.report(CUSTOMER, YEAR);
        check(report.csv().length == reportBytes);
    }

    private static void check(boolean right) {
        if (!right) {
            throw new IllegalStateException("wrong response");
        }
    }
}
