package io.rdmarpc.demo;

import java.time.Instant;
import java.util.List;

/** An order as a customer sends it. */
public record Order(String id, String customer, Priority priority, Instant placedAt, List<LineItem> items) {

    public Order {
        items = List.copyOf(items);
    }

    /** How soon it has to leave the house. */
    public enum Priority {
        STANDARD,
        EXPRESS
    }
}
