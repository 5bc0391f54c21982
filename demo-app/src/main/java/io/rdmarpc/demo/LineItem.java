package io.rdmarpc.demo;

import java.math.BigDecimal;

/** One line of an order. */
public record LineItem(String article, int quantity, BigDecimal price) {

    BigDecimal total() {
        return price.multiply(BigDecimal.valueOf(quantity));
    }
}
