package io.rdmarpc.benchmarks.order;

/**
 * A line of an order.
 *
 * @param article name of the article
 * @param quantity number of pieces
 * @param cents price of one piece in cents
 */
public record LineItem(String article, int quantity, long cents) {}
