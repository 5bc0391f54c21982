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

/** Calls and their answers, made before they are needed: making them and checking costs a caller next to nothing. */
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

    /** Makes one call; throws when there is no answer, or a wrong one. */
    void call(OrderService desk, Workload workload, long number) {
        int index = indexOf(number);
        switch (workload) {
            case PLACE, PLACE_ASYNC -> check(receipts.get(index).equals(desk.place(orders.get(index))));
            case AMEND -> amend(desk, index);
            case FILLS -> follow(desk, orders.get(index).id());
            case REPORT -> report(desk);
        }
    }

    /** Starts a call; the future fails when there is no answer, or a wrong one. */
    CompletableFuture<?> callLater(OrderService desk, long number) {
        int index = indexOf(number);
        return desk.placeLater(orders.get(index))
                .thenAccept(receipt -> check(receipts.get(index).equals(receipt)));
    }

    /** Orders that are to be amended have to be known. */
    public void placeAll(OrderService desk) {
        orders.forEach(order -> desk.place(order.withInstructions("")));
    }

    private static int indexOf(long number) {
        return (int) (number % ORDERS);
    }

    private void amend(OrderService desk, int index) {
        Receipt placed = receipts.get(index);
        Receipt amended = desk.amend(new Amendment(placed.orderId(), 3))
                .orElseThrow(() -> new IllegalStateException("the server does not know " + placed.orderId()));
        check(amended.pieces() == 3 * placed.pieces());
    }

    private static void follow(OrderService desk, String orderId) {
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
            throw new IllegalStateException("a wrong answer");
        }
    }
}
