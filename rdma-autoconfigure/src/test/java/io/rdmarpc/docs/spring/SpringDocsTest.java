package io.rdmarpc.docs.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.docs.spring.Warehouse.Item;
import io.rdmarpc.integration.app.TestApplication;
import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.task.VirtualThreadTaskExecutor;
import reactor.core.publisher.Flux;

@Timeout(60)
@DisplayName("The code of the pages on services works")
class SpringDocsTest {

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({WarehouseBean.class, WarehouseAdvice.class, WarehouseCallers.class, Tenants.OnTheServer.class})
    static class Server {

        @Bean(defaultCandidate = false)
        Executor reports() {
            return new VirtualThreadTaskExecutor("reports-");
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({WarehouseClients.class, Stocktaking.class, Tenants.OnTheClient.class})
    static class Client {

        @Bean
        Caller caller(Warehouse warehouse) {
            return new Caller(warehouse);
        }
    }

    record Caller(Warehouse warehouse) {}

    private ConfigurableApplicationContext server;
    private ConfigurableApplicationContext client;
    private Warehouse warehouse;

    @BeforeEach
    void start() {
        server = TestApplication.run(Server.class);
        String address = "127.0.0.1:" + TestApplication.port(server);
        client = TestApplication.run(
                Client.class,
                "rdma.client.targets.north.address=" + address,
                "rdma.client.targets.south.address=" + address);
        warehouse = client.getBean(Caller.class).warehouse();
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    @Test
    void shouldStoreAndFind() throws Exception {
        warehouse.store(new Item("bolt", 3));

        assertThat(warehouse.find("bolt")).contains(new Item("bolt", 3));
        assertThat(warehouse.find("nut")).isEmpty();
        assertThat(client.getBean(Stocktaking.class).count("bolt")).isEqualTo(6);
        assertThat(new OneTenant(warehouse).count("other", "bolt")).isEqualTo(3);
        assertThat(warehouse.revision()).isOne();
        assertThat(warehouse.report().get()).isEqualTo("1 articles for acme");
        assertThat(warehouse.last().block(Duration.ofSeconds(10))).isEqualTo(new Item("bolt", 3));
    }

    @Test
    void whenThreadsRunAnEngineEachThenTheyMakeCalls() throws Exception {
        try (ConfigurableApplicationContext loops = TestApplication.run(
                Client.class,
                "rdma.polling.threads=2",
                "rdma.client.targets.north.address=127.0.0.1:" + TestApplication.port(server),
                "rdma.client.targets.south.address=127.0.0.1:" + TestApplication.port(server))) {
            RdmaRuntime runtime = loops.getBean(RdmaRuntime.class);
            Warehouse reports = loops.getBean(Caller.class).warehouse();
            List<Thread> threads = IntStream.range(0, 2)
                    .mapToObj(engine ->
                            Thread.ofPlatform().start(() -> new ReportLoop(runtime, reports).run(engine, 200)))
                    .toList();
            for (Thread thread : threads) {
                thread.join();
            }

            assertThat(runtime.statistics().callsCompleted()).isEqualTo(400);
        }
    }

    @Test
    void shouldPrintTheLoopAsItIs() throws IOException {
        String source = Files.readString(Path.of("src/test/java/io/rdmarpc/docs/spring/ReportLoop.java"));

        assertThat(Files.readString(Path.of("../docs/how-to/run-an-engine.md")))
                .contains("\n" + source.substring(source.indexOf("final class ")) + "```");
    }

    @Test
    void shouldStreamInBothDirections() {
        List<Item> items = IntStream.rangeClosed(1, 9)
                .mapToObj(i -> new Item("article " + i, i))
                .toList();

        assertThat(warehouse.storeAll(items.stream())).isEqualTo(9);
        try (Stream<Item> all = warehouse.all()) {
            assertThat(all).containsExactlyInAnyOrderElementsOf(items);
        }
        assertThat(warehouse
                        .counts(Flux.just("article 2", "article 5"))
                        .collectList()
                        .block(Duration.ofSeconds(10)))
                .containsExactly(2, 5);
    }

    @Test
    void shouldFailWithAMessage() {
        assertThatExceptionOfType(RdmaRemoteException.class)
                .isThrownBy(() -> warehouse.store(new Item(" ", 1)))
                .withMessageContaining("article: must not be blank")
                .satisfies(e -> assertThat(e.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT));
        assertThatExceptionOfType(RdmaRemoteException.class)
                .isThrownBy(() -> warehouse.count("nut"))
                .satisfies(e -> assertThat(e.status()).isEqualTo(RpcStatus.NOT_FOUND));
        warehouse.storeAll(IntStream.rangeClosed(1, 10).mapToObj(i -> new Item("article " + i, i)));
        assertThatExceptionOfType(Warehouse.WarehouseFullException.class)
                .isThrownBy(() -> warehouse.store(new Item("one more", 1)))
                .withMessage("there is no room for one more");
    }

    @Test
    void shouldCallInEachWay() throws Exception {
        WarehouseCalls calls = new WarehouseCalls(warehouse);

        assertThat(calls.store(new Item("bolt", 3))).isEqualTo("stored");
        assertThat(calls.store(new Item(" ", 3))).isEqualTo("invalid");
        assertThat(calls.total()).isEqualTo(3);
        assertThat(calls.headline().get()).isEqualTo("Today: 1 articles for acme");
        assertThat(calls.lastArticle().block(Duration.ofSeconds(10))).isEqualTo("bolt");
    }

    @Test
    void shouldCallOneWay() {
        warehouse.seen("bolt");

        Awaitility.await()
                .untilAsserted(() ->
                        assertThat(server.getBean(WarehouseBean.class).seen).containsExactly("bolt"));
    }
}
