package io.rdmarpc.slice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.when;

import io.rdmarpc.annotation.RdmaClient;
import io.rdmarpc.autoconfigure.test.RdmaTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

@RdmaTest(Shop.PriceList.class)
@DirtiesContext
@Timeout(60)
class OneServiceSliceTest {

    @Autowired
    private ApplicationContext context;

    @Autowired
    @RdmaClient
    private Shop.Prices prices;

    @MockitoBean
    @RdmaClient
    private Shop.Stock remoteStock;

    @Test
    void onlyTheNamedOneIsThere() {
        assertThat(prices.priceOf("pear")).isEqualTo(4);
        assertThat(context.getBeanNamesForType(Shop.Shelf.class)).isEmpty();
    }

    @Test
    void aClientCanBeMocked() {
        when(remoteStock.left("pear")).thenReturn(3);
        assertThat(remoteStock.left("pear")).isEqualTo(3);
    }
}
