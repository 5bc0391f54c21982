package io.rdmarpc.docs.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.when;

import io.rdmarpc.annotation.RdmaClient;
import io.rdmarpc.autoconfigure.test.RdmaTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

@RdmaTest(OrderService.class)
class OrdersTest {

    @Autowired
    @RdmaClient
    private Orders orders;

    @MockitoBean
    private PriceList prices;

    @Test
    void whenAPriceRisesThenSoDoesTheTotal() {
        when(prices.of("bolt")).thenReturn(7L);

        assertThat(orders.total("bolt", 3)).isEqualTo(21);
    }
}
