package io.rdmarpc.demo;

/** A change of an order: how many times the customer wants the whole order. */
public record Amendment(String orderId, int times) {}
