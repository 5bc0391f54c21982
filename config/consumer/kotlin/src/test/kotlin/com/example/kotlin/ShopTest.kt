package com.example.kotlin

import io.rdmarpc.annotation.RdmaClient
import java.lang.reflect.Proxy
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.boot.test.context.SpringBootTest

/** The server and the client are in one process; the call travels all the same. */
@SpringBootTest(
    properties =
        [
            "rdma.provider=soft",
            "rdma.server.port=17472",
            "rdma.client.targets.default.address=127.0.0.1:17472",
        ],
)
class ShopTest {

    @Autowired
    @RdmaClient
    private lateinit var stock: Stock

    @Test
    fun `calls the warehouse`() {
        assertThat(Proxy.isProxyClass(stock.javaClass)).isTrue()
        assertThat(stock.level("pencil")).isEqualTo(Level("pencil", 6))
    }
}
