package io.rdmarpc.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.integration.app.Orders;
import io.rdmarpc.integration.app.OrdersImpl;
import io.rdmarpc.integration.app.TestApplication;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.server.RdmaServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@Timeout(60)
@DisplayName("Stopping an application with a web server that calls and serves over RDMA")
class WebShutdownTest {

    private static CountDownLatch entered;
    private static CountDownLatch mayAnswer;

    private ConfigurableApplicationContext kitchen;
    private ConfigurableApplicationContext restaurant;

    @RdmaService(name = "test.Kitchen")
    public interface Kitchen {

        @RdmaMethod(timeout = "30s")
        String cook(String dish);
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class KitchenApplication {

        @Bean
        Kitchen kitchen() {
            return dish -> {
                entered.countDown();
                await(mayAnswer);
                return "hot " + dish;
            };
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Calls the kitchen for web clients, and is called by others. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Waiter.class)
    static class RestaurantApplication {

        @Bean
        Orders orders() {
            return new OrdersImpl();
        }
    }

    @RestController
    static class Waiter {

        private final Kitchen kitchen;

        Waiter(Kitchen kitchen) {
            this.kitchen = kitchen;
        }

        @GetMapping("/soup")
        String soup() {
            return kitchen.cook("soup");
        }
    }

    @BeforeEach
    void start() {
        entered = new CountDownLatch(1);
        mayAnswer = new CountDownLatch(1);
        kitchen = TestApplication.run(KitchenApplication.class);
        restaurant = TestApplication.run(
                RestaurantApplication.class,
                WebApplicationType.SERVLET,
                "server.port=0",
                "server.address=127.0.0.1",
                "server.shutdown=graceful",
                "rdma.client.targets.default.address=127.0.0.1:" + TestApplication.port(kitchen));
    }

    @AfterEach
    void stop() {
        mayAnswer.countDown();
        restaurant.close();
        kitchen.close();
    }

    private CompletableFuture<HttpResponse<String>> order(HttpClient http) {
        String port = restaurant.getEnvironment().getRequiredProperty("local.server.port");
        return http.sendAsync(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/soup"))
                        .build(),
                BodyHandlers.ofString());
    }

    @Test
    void aWebRequestIsAnsweredByRdmaWhileCallsFromOutsideAreRejected() throws Exception {
        try (ConfigurableApplicationContext outside = TestApplication.client(restaurant, "rdma.client.timeout=1s");
                HttpClient http = HttpClient.newHttpClient()) {
            Orders orders = outside.getBean(Orders.class);
            assertThat(orders.add(1, 2)).isEqualTo(3);
            CompletableFuture<HttpResponse<String>> soup = order(http);
            await(entered);

            Thread closing = Thread.ofPlatform().start(restaurant::close);
            Awaitility.await().atMost(20, TimeUnit.SECONDS).until(() -> rejects(orders));
            assertThat(soup).as("the web server waits for it").isNotDone();
            mayAnswer.countDown();

            assertThat(soup.get(20, TimeUnit.SECONDS))
                    .satisfies(response -> assertThat(response.statusCode()).isEqualTo(200))
                    .satisfies(response -> assertThat(response.body()).isEqualTo("hot soup"));
            assertThat(closing.join(Duration.ofSeconds(30))).isTrue();
        }
    }

    private static boolean rejects(Orders orders) {
        try {
            orders.add(1, 2);
            return false;
        } catch (RdmaRpcException e) {
            return e.status() == RpcStatus.UNAVAILABLE;
        }
    }

    @Test
    void theEngineStopsAfterTheWebServer() {
        int engine = phase("rdmaRuntimeLifecycle");
        assertThat(RdmaServer.PHASE)
                .isEqualTo(WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE)
                .isGreaterThan(phase("webServerStartStop"));
        assertThat(engine).isLessThan(phase("webServerStartStop"));
    }

    private int phase(String bean) {
        return restaurant.getBean(bean, SmartLifecycle.class).getPhase();
    }
}
