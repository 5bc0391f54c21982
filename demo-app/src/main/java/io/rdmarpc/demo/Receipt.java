package io.rdmarpc.demo;

import java.math.BigDecimal;
import java.time.Instant;

/** The cost of an order and its arrival time. */
public record Receipt(String orderId, BigDecimal total, int pieces, Instant arrivesAt) {}
