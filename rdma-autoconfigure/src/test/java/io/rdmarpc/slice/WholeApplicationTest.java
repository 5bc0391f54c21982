package io.rdmarpc.slice;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.annotation.RdmaClient;
import io.rdmarpc.autoconfigure.test.AutoConfigureTestRdmaTransport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.test.annotation.DirtiesContext;

/** The whole application with an in-process transport, whatever its configuration says of targets. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = {
            "rdma.client.targets.default.address=production.example.com:7471",
            "rdma.client.targets.stock.address=stock.example.com:7471"
        })
@AutoConfigureTestRdmaTransport
@DirtiesContext
@Timeout(60)
class WholeApplicationTest {

    @Autowired
    @RdmaClient
    private Shop.Prices prices;

    @Autowired
    @RdmaClient("stock")
    private Shop.Stock stock;

    @Autowired
    private ApplicationContext context;

    @Test
    void everyTargetIsTheOwnServer() {
        assertThat(prices.priceOf("plum")).isEqualTo(4);
        assertThat(stock.left("plum")).isEqualTo(7);
    }

    @Test
    void theRestIsThereToo() {
        assertThat(context.getBeanNamesForType(Shop.Mailer.class)).hasSize(1);
    }
}
