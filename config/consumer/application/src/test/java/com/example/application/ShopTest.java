package com.example.application;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.contract.Stock;
import io.rdmarpc.annotation.RdmaClient;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** The server and the client are in one process; the call travels all the same. */
@SpringBootTest(
        properties = {"rdma.provider=soft", "rdma.server.port=17471", "rdma.client.targets.default.address=127.0.0.1:17471"})
class ShopTest {

    @Autowired
    @RdmaClient
    private Stock stock;

    @Test
    void shouldCallTheWarehouse() {
        assertThat(Proxy.isProxyClass(stock.getClass())).isTrue();
        assertThat(stock.level("pencil")).isEqualTo(new Stock.Level("pencil", 6));
    }
}
