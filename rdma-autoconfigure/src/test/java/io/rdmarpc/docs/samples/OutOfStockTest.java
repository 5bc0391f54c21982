package io.rdmarpc.docs.samples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OutOfStockTest {

    @Test
    void shouldBeCreatedFromItsMessageAndItsDetails() {
        OutOfStockException thrown = new OutOfStockException("none left", new OutOfStockException.Details("tea", 3));

        OutOfStockException arrived = new OutOfStockException(thrown.getMessage(), thrown.failureDetails());

        assertThat(arrived).hasMessage("none left");
        assertThat(arrived.available()).isEqualTo(3);
    }
}
