package io.rdmarpc.migration.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.migration.MigrationApplication;
import io.rdmarpc.migration.http.Prices.Price;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import java.math.BigDecimal;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.web.client.HttpClientErrorException;

@Timeout(120)
@DisplayName("An HTTP interface that is an RDMA service as well")
class HttpMigrationTest {

    private static ConfigurableApplicationContext server;
    private static ConfigurableApplicationContext client;

    private final MovingPrices prices = client.getBean(MovingPrices.class);

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({PriceList.class, PriceList.Failures.class})
    static class Server {}

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(PricesClients.class)
    static class Client {}

    @BeforeAll
    static void start() {
        server = MigrationApplication.server(Server.class, "servlet");
        client = MigrationApplication.client(
                Client.class,
                server,
                "prices.url=http://127.0.0.1:" + server.getEnvironment().getRequiredProperty("local.server.port"));
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
    }

    @BeforeEach
    void aPrice() {
        prices.move(0);
        prices.change(new Price("bolt", new BigDecimal("0.25")));
    }

    private static double callsByRdma(String method) {
        return MigrationApplication.timed(
                server, "rpc.server.call.duration", "rpc.method", Prices.class.getName() + "/" + method);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 50, 100})
    void whenCallsAreMovedThenResponsesAreTheSame(int percent) {
        prices.move(percent);

        for (int call = 0; call < 20; call++) {
            assertThat(prices.price("bolt")).isEqualTo(new Price("bolt", new BigDecimal("0.25")));
        }
    }

    @Test
    void whenAllCallsAreMovedThenOnlyThenTheyUseRdma() {
        double before = callsByRdma("price");
        prices.price("bolt");
        assertThat(callsByRdma("price")).isEqualTo(before);

        prices.move(100);
        prices.price("bolt");
        prices.change(new Price("bolt", BigDecimal.ONE));

        MigrationApplication.await(() -> assertThat(callsByRdma("price")).isEqualTo(before + 1));
        prices.move(0);
        assertThat(prices.price("bolt").amount()).isEqualByComparingTo(BigDecimal.ONE);
    }

    @Test
    void whenAnArticleIsMissingThenEachTransportReportsItAsUsual() {
        assertThatExceptionOfType(HttpClientErrorException.NotFound.class).isThrownBy(() -> prices.price("nut"));

        prices.move(100);
        assertThatExceptionOfType(RdmaRpcException.class)
                .isThrownBy(() -> prices.price("nut"))
                .withMessageContaining("there is no price of nut")
                .satisfies(e -> assertThat(e.status()).isEqualTo(RpcStatus.NOT_FOUND));
    }

    @Test
    void whenRdmaIsUnreachableThenReadsFallBackToHttp() {
        try (ConfigurableApplicationContext lost = MigrationApplication.client(
                Client.class,
                null,
                "prices.url=http://127.0.0.1:" + server.getEnvironment().getRequiredProperty("local.server.port"),
                "prices.rdma-percent=100",
                "rdma.client.timeout=1s")) {
            MovingPrices alone = lost.getBean(MovingPrices.class);

            assertThat(alone.price("bolt").article()).isEqualTo("bolt");
            assertThatExceptionOfType(RdmaRpcException.class)
                    .isThrownBy(() -> alone.change(new Price("bolt", BigDecimal.TEN)));
        }
    }
}
