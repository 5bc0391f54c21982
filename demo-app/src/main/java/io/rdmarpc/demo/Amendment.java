package io.rdmarpc.demo;

/** What a customer wants changed: how often the whole order is meant. */
public record Amendment(String orderId, int times) {}
