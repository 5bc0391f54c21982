package io.rdmarpc.demo;

import java.time.Instant;
import java.util.List;

/** An order of a customer. The length of the instructions is not limited. */
public record Order(
        String id, String customer, Priority priority, Instant placedAt, List<LineItem> items, String instructions) {

    public Order {
        items = List.copyOf(items);
    }

    /** How soon the order is shipped. */
    public enum Priority {
        STANDARD,
        EXPRESS
    }

    /** Returns a copy of this order with other instructions. */
    public Order withInstructions(String text) {
        return new Order(id, customer, priority, placedAt, items, text);
    }
}
