package io.rdmarpc.benchmarks.order;

import java.time.Instant;
import java.util.List;

/**
 * What a customer wants.
 *
 * @param id the customer's own number for it
 * @param customer who
 * @param priority how soon
 * @param placedAt when it was written
 * @param account the account to charge
 * @param items what is wanted
 */
public record OrderRequest(
        String id, String customer, Priority priority, Instant placedAt, long account, List<LineItem> items) {}
