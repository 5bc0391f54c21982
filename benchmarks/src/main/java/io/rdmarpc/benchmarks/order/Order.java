package io.rdmarpc.benchmarks.order;

import java.time.Instant;
import java.util.List;

/**
 * What was accepted.
 *
 * @param id the customer's own number for it
 * @param customer who
 * @param priority how soon
 * @param acceptedAt when it was accepted
 * @param totalCents what it costs
 * @param items what will be sent
 */
public record Order(
        String id, String customer, Priority priority, Instant acceptedAt, long totalCents, List<LineItem> items) {}
