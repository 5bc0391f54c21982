package io.rdmarpc.demo;

import java.math.BigDecimal;
import java.time.Instant;

/** What an order costs and when it arrives. */
public record Receipt(String orderId, BigDecimal total, int pieces, Instant arrivesAt) {}
