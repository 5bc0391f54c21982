package io.rdmarpc.demo;

import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Computes orders from their number, and responses from their request. A client can therefore check every response
 * without stored expectations.
 */
public final class OrderRules {

    public static final int REPORT_LINES = 24_000;

    private static final Instant OPENING = Instant.parse("2026-01-01T00:00:00Z");
    private static final List<String> ARTICLES = List.of("bolt M8", "nut M8", "washer", "Schraubenschlüssel", "glue");

    private OrderRules() {}

    public static Order order(long number) {
        List<LineItem> items = new ArrayList<>();
        int lines = (int) (number % 4) + 1;
        for (int line = 0; line < lines; line++) {
            int choice = (int) ((number * 31 + line) % ARTICLES.size());
            items.add(new LineItem(
                    ARTICLES.get(choice),
                    (int) (number % 9) + line + 1,
                    BigDecimal.valueOf(number % 10_000 + line, 2)));
        }
        return new Order(
                "order-" + number,
                "customer-" + number % 100,
                number % 5 == 0 ? Order.Priority.EXPRESS : Order.Priority.STANDARD,
                OPENING.plusSeconds(number),
                items,
                "");
    }

    public static Receipt receipt(Order order) {
        BigDecimal total = order.items().stream().map(LineItem::total).reduce(BigDecimal.ZERO, BigDecimal::add);
        int pieces = order.items().stream().mapToInt(LineItem::quantity).sum();
        Duration way = order.priority() == Order.Priority.EXPRESS ? Duration.ofDays(1) : Duration.ofDays(4);
        return new Receipt(order.id(), total, pieces, order.placedAt().plus(way));
    }

    public static Receipt amended(Receipt receipt, Amendment amendment) {
        BigDecimal times = BigDecimal.valueOf(amendment.times());
        return new Receipt(
                receipt.orderId(),
                receipt.total().multiply(times),
                receipt.pieces() * amendment.times(),
                receipt.arrivesAt());
    }

    public static Fill fill(String orderId, int number, int parts) {
        int pieces = Math.floorMod(orderId.hashCode(), 7) + number + 1;
        return new Fill(orderId, number, pieces, BigDecimal.valueOf(pieces * 125L, 2), number == parts - 1);
    }

    public static Report report(String customer, int year) {
        ByteArrayOutputStream csv = new ByteArrayOutputStream();
        for (int line = 0; line < REPORT_LINES; line++) {
            String text = customer + ',' + year + ',' + line + ",order-" + (customer.hashCode() * 31L + year + line)
                    + ',' + ARTICLES.get(line % ARTICLES.size()) + '\n';
            csv.writeBytes(text.getBytes(StandardCharsets.UTF_8));
        }
        return new Report(customer, year, csv.toByteArray());
    }
}
