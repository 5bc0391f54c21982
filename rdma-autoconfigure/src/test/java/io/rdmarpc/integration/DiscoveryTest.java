package io.rdmarpc.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.integration.app.Orders;
import io.rdmarpc.integration.app.TestApplication;
import io.rdmarpc.rpc.error.RdmaRpcException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.curator.test.TestingServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.cloud.client.discovery.DiscoveryClient;
import org.springframework.context.ConfigurableApplicationContext;

/** Instances that find each other by a ZooKeeper of this process, as Spring Cloud applications do. */
@Timeout(180)
class DiscoveryTest {

    private TestingServer zookeeper;
    private final Deque<ConfigurableApplicationContext> servers = new ArrayDeque<>();
    private ConfigurableApplicationContext client;

    @BeforeEach
    void startRegistry() throws Exception {
        zookeeper = new TestingServer(true);
    }

    @AfterEach
    void stopAll() throws Exception {
        if (client != null) {
            client.close();
        }
        servers.forEach(ConfigurableApplicationContext::close);
        zookeeper.close();
    }

    private ConfigurableApplicationContext startServer(String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "spring.application.name=orders-app",
                // What a web server would bring; its port is not the control port.
                "spring.cloud.zookeeper.discovery.instance-port=8080",
                "spring.cloud.zookeeper.discovery.instance-host=127.0.0.1",
                "rdma.client.enabled=false"));
        all.addAll(List.of(properties));
        ConfigurableApplicationContext server =
                TestApplication.run(TestApplication.Server.class, registry(all.toArray(String[]::new)));
        servers.add(server);
        return server;
    }

    private Orders startClient(String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "spring.application.name=caller",
                "spring.cloud.zookeeper.discovery.register=false",
                "rdma.client.discovery.refresh-interval=200ms",
                "rdma.client.balancing.probation=200ms"));
        all.addAll(List.of(properties));
        client = TestApplication.run(TestApplication.Client.class, registry(all.toArray(String[]::new)));
        return client.getBean(Orders.class);
    }

    private String[] registry(String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.add("spring.cloud.zookeeper.enabled=true");
        all.add("spring.cloud.zookeeper.connect-string=" + zookeeper.getConnectString());
        all.add("spring.cloud.loadbalancer.cache.enabled=false");
        return all.toArray(String[]::new);
    }

    @ParameterizedTest
    @ValueSource(strings = {"discovery:orders-app", "lb://orders-app"})
    void callsReachWhoeverIsRegistered(String address) {
        startServer();
        startServer();
        Orders orders = startClient("rdma.client.targets.default.address=" + address, "rdma.client.timeout=20s");
        assertThat(IntStream.range(0, 20).map(i -> orders.add(i, 1))).hasSize(20);
        assertThat(client.getBean(DiscoveryClient.class).getInstances("orders-app"))
                .extracting(instance -> instance.getMetadata().get("rdma.control-port"))
                .containsExactlyInAnyOrderElementsOf(servers.stream()
                        .map(server -> String.valueOf(TestApplication.port(server)))
                        .toList());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "spring.cloud.zookeeper.discovery.register=false",
                "spring.cloud.service-registry.auto-registration.enabled=false",
                "rdma.server.registration.enabled=false"
            })
    void whenRegistrationIsOffThenNothingIsRegistered(String off) {
        ConfigurableApplicationContext server = startServer(off);
        assertThat(TestApplication.port(server)).isPositive();
        assertThat(server.getBean(DiscoveryClient.class).getInstances("orders-app"))
                .isEmpty();
    }

    @Test
    void instancesComeAndGoUnderLoad() throws Exception {
        startServer();
        startServer();
        Orders orders = startClient(
                "rdma.client.targets.default.address=discovery:orders-app",
                "rdma.client.targets.default.policy=least-in-flight",
                "rdma.client.timeout=20s");
        orders.add(1, 1);
        AtomicInteger calls = new AtomicInteger();
        List<String> failures = new ArrayList<>();
        List<Thread> callers = new ArrayList<>();
        for (int caller = 0; caller < 4; caller++) {
            callers.add(Thread.ofVirtual().start(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                    call(orders, calls, failures);
                }
            }));
        }
        for (int round = 0; round < 3; round++) {
            startServer();
            awaitMore(calls);
            servers.removeFirst().close();
            awaitMore(calls);
        }
        callers.forEach(Thread::interrupt);
        for (Thread caller : callers) {
            caller.join();
        }
        assertThat(failures).isEmpty();
        assertThat(calls.get()).isGreaterThan(100);
    }

    private static void call(Orders orders, AtomicInteger calls, List<String> failures) {
        int number = calls.incrementAndGet();
        try {
            if (orders.add(number, 1) != number + 1) {
                synchronized (failures) {
                    failures.add("wrong answer");
                }
            }
        } catch (RdmaRpcException e) {
            if (!Thread.currentThread().isInterrupted()) {
                synchronized (failures) {
                    failures.add(e.toString());
                }
            }
        }
    }

    private static void awaitMore(AtomicInteger calls) {
        int before = calls.get();
        Awaitility.await().atMost(20, TimeUnit.SECONDS).until(() -> calls.get() > before + 200);
    }

    @Test
    void theRegistryMayGoAway() throws Exception {
        startServer();
        Orders orders =
                startClient("rdma.client.targets.default.address=discovery:orders-app", "rdma.client.timeout=20s");
        orders.add(1, 1);
        zookeeper.stop();
        assertThat(IntStream.range(0, 20).map(i -> orders.add(i, 1))).hasSize(20);
        // Without a registry each context tries for 15 s to deregister when it closes.
        zookeeper.restart();
    }
}
