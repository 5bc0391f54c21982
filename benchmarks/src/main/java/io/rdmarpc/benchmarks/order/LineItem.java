package io.rdmarpc.benchmarks.order;

/**
 * A line of an order.
 *
 * @param article what
 * @param quantity how many
 * @param cents the price of one
 */
public record LineItem(String article, int quantity, long cents) {}
