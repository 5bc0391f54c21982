package io.rdmarpc.benchmarks.order;

import java.time.Instant;
import java.util.List;

/**
 * An accepted order.
 *
 * @param id the customer's id of the order
 * @param customer name of the customer
 * @param priority priority of the order
 * @param acceptedAt time of acceptance
 * @param totalCents total price in cents
 * @param items order lines
 */
public record Order(
        String id, String customer, Priority priority, Instant acceptedAt, long totalCents, List<LineItem> items) {}
