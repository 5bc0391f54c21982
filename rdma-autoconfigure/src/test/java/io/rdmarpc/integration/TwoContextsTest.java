package io.rdmarpc.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.integration.app.Orders;
import io.rdmarpc.integration.app.Orders.LineItem;
import io.rdmarpc.integration.app.Orders.Order;
import io.rdmarpc.integration.app.Orders.Receipt;
import io.rdmarpc.integration.app.TestApplication;
import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RpcStatus;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

/** A server and a client, each a Spring context with a software RNIC of its own. */
@Timeout(60)
class TwoContextsTest {

    private static ConfigurableApplicationContext server;
    private static ConfigurableApplicationContext client;
    private static Orders orders;

    @BeforeAll
    static void start() {
        server = TestApplication.run(TestApplication.Server.class);
        client = TestApplication.client(server);
        orders = client.getBean(Orders.class);
    }

    @AfterAll
    static void stop() {
        if (client != null) {
            client.close();
        }
        if (server != null) {
            server.close();
        }
    }

    @Test
    void placesAnOrder() {
        Order order = new Order("Ada", List.of(new LineItem("bolt", 3, new BigDecimal("1.25"))));
        assertThat(orders.place(order)).isEqualTo(new Receipt("Ada", new BigDecimal("3.75")));
        assertThat(orders.placeOne("nut")).isEqualTo(new Receipt("one", BigDecimal.ONE));
        assertThat(orders.add(40, 2)).isEqualTo(42);
        assertThat(orders.nullReceipt()).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            ints = {0, 1, 200, 255, 256, 257, 3000, 4000, 4030, 4031, 4032, 4033, 4064, 4096, 4097, 1 << 20, 16 << 20})
    void echoesPayloadsOfEverySize(int size) {
        byte[] payload = new byte[size];
        new Random(size).nextBytes(payload);
        assertThat(orders.echo(payload)).isEqualTo(payload);
    }

    @Test
    void remoteExceptionsCarryTypeAndWords() {
        assertThatExceptionOfType(RdmaRemoteException.class)
                .isThrownBy(() -> orders.reject("sold out"))
                .withMessageContaining("Orders.reject at ")
                .withMessageEndingWith(" threw java.lang.IllegalArgumentException: sold out; caused by"
                        + " java.lang.UnsupportedOperationException: deep")
                .satisfies(e -> {
                    assertThat(e.remoteType()).isEqualTo(IllegalArgumentException.class.getName());
                    assertThat(e.status()).isEqualTo(RpcStatus.HANDLER_FAILED);
                    assertThat(e.getStackTrace())
                            .as("the caller's stack trace")
                            .anyMatch(frame -> frame.getClassName().startsWith(TwoContextsTest.class.getName()));
                });
    }

    @Test
    void methodsHaveTheirOwnTimeOut() {
        long start = System.nanoTime();
        assertThatExceptionOfType(RdmaTimeoutException.class)
                .isThrownBy(() -> orders.sleep(5000))
                .withMessageContaining("test.Orders.sleep at default (127.0.0.1:");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(2));
    }

    @Test
    void shouldCompleteFutures() throws Exception {
        List<CompletableFuture<String>> futures = IntStream.range(0, 50)
                .mapToObj(i -> orders.later("text " + i, 20))
                .toList();
        for (int i = 0; i < 50; i++) {
            assertThat(futures.get(i).get()).isEqualTo("text " + i);
        }
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> orders.later("fail late", 5).get())
                .havingCause()
                .isInstanceOf(RdmaRemoteException.class)
                .withMessageEndingWith("fail late");
    }

    @Test
    void streamsComeOneByOneAndFailWhereTheServerDoes() {
        List<Receipt> received = new ArrayList<>();
        try (Stream<Receipt> receipts = orders.receipts(100)) {
            assertThatExceptionOfType(RdmaRemoteException.class)
                    .isThrownBy(() -> receipts.forEach(received::add))
                    .withMessageContaining("only 100 receipts");
        }
        assertThat(received).hasSize(100);
        assertThat(received.get(99)).isEqualTo(new Receipt("customer 99", BigDecimal.valueOf(99)));
    }

    @Test
    void callersStopStreamsEarly() {
        for (int i = 0; i < 100; i++) {
            try (Stream<Receipt> receipts = orders.receipts(Integer.MAX_VALUE)) {
                assertThat(receipts.limit(10)).hasSize(10);
            }
        }
        assertThat(orders.add(1, 2)).isEqualTo(3);
    }

    @Test
    void largeElementsStreamToo() {
        Iterator<byte[]> photos = orders.photos(20, 200_000);
        for (int i = 0; i < 20; i++) {
            assertThat(photos.next()).hasSize(200_000).containsOnly((byte) i);
        }
        assertThat(photos.hasNext()).isFalse();
    }

    @Test
    void manyCallersGetTheirOwnAnswers() throws Exception {
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Boolean>> callers = IntStream.range(0, 64)
                    .mapToObj(caller -> executor.submit(() -> {
                        for (int i = 0; i < 100; i++) {
                            String name = "caller " + caller + " call " + i;
                            Order order = new Order(name, List.of(new LineItem("x", i, BigDecimal.TWO)));
                            if (!orders.place(order).equals(new Receipt(name, BigDecimal.valueOf(2L * i)))) {
                                return false;
                            }
                        }
                        return true;
                    }))
                    .toList();
            for (Future<Boolean> caller : callers) {
                assertThat(caller.get()).isTrue();
            }
        }
    }
}
