package io.rdmarpc.benchmarks.order;

import java.time.Instant;
import java.util.List;

/**
 * A request to place an order.
 *
 * @param id the customer's id of the order
 * @param customer name of the customer
 * @param priority priority of the order
 * @param placedAt time at which the customer placed the order
 * @param account account to charge
 * @param items order lines
 */
public record OrderRequest(
        String id, String customer, Priority priority, Instant placedAt, long account, List<LineItem> items) {}
