package io.rdmarpc.demo;

import java.math.BigDecimal;

/** A part of an order that the server has packed. */
public record Fill(String orderId, int number, int pieces, BigDecimal price, boolean last) {}
