package io.rdmarpc.demo;

import java.time.Instant;
import java.util.List;

/** An order as a customer sends it; the instructions are as long as the customer likes. */
public record Order(
        String id, String customer, Priority priority, Instant placedAt, List<LineItem> items, String instructions) {

    public Order {
        items = List.copyOf(items);
    }

    /** How soon it has to leave the house. */
    public enum Priority {
        STANDARD,
        EXPRESS
    }

    /** The same order with other instructions. */
    public Order withInstructions(String text) {
        return new Order(id, customer, priority, placedAt, items, text);
    }
}
