package io.rdmarpc.docs.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.annotation.RdmaClient;
import io.rdmarpc.autoconfigure.test.AutoConfigureTestRdmaTransport;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest
@AutoConfigureTestRdmaTransport
class CheckoutTest {

    @Autowired
    @RdmaClient
    private Orders orders;

    @Test
    void shouldReturnTheTotal() {
        assertThat(orders.total("bolt", 3)).isEqualTo(12);
    }
}
