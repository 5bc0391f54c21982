package io.rdmarpc.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.integration.app.ServerProcess;
import io.rdmarpc.integration.app.TestApplication;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.apache.curator.test.TestingServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cloud.client.discovery.DiscoveryClient;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

@Timeout(180)
@DisplayName("Instances that are killed while the registry lists them, and others that come")
@Tag("processes")
class KilledRegisteredInstanceTest {

    private static final int CALLERS = 8;
    private static final String SERVICE = "stock-app";

    private final Deque<ServerProcess> servers = new ArrayDeque<>();
    /** Answers, by the process that gave them. */
    private final Map<Long, LongAdder> answers = new ConcurrentHashMap<>();

    private final Queue<Throwable> failed = new ConcurrentLinkedQueue<>();
    private volatile boolean stopped;
    private TestingServer zookeeper;

    @RdmaService(name = "test.Stock")
    public interface Stock {

        @RdmaMethod(idempotent = true)
        long processOf(int article);
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Warehouse {

        @Bean
        Stock stock() {
            return _ -> ProcessHandle.current().pid();
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Shop {}

    @BeforeEach
    void startRegistry() throws Exception {
        zookeeper = new TestingServer(true);
    }

    @AfterEach
    void endAll() throws Exception {
        servers.forEach(ServerProcess::close);
        zookeeper.close();
    }

    private String[] registered(String... properties) {
        List<String> all = new ArrayList<>(Arrays.asList(properties));
        all.add("spring.cloud.zookeeper.enabled=true");
        all.add("spring.cloud.zookeeper.connect-string=" + zookeeper.getConnectString());
        all.add("spring.cloud.loadbalancer.cache.enabled=false");
        return all.toArray(String[]::new);
    }

    private void startServer() throws Exception {
        servers.add(ServerProcess.start(
                Warehouse.class,
                registered(
                        "spring.application.name=" + SERVICE,
                        "spring.cloud.zookeeper.discovery.instance-port=8080",
                        "spring.cloud.zookeeper.discovery.instance-host=127.0.0.1",
                        "rdma.client.enabled=false")));
    }

    private ConfigurableApplicationContext client(String address) {
        return TestApplication.run(
                Shop.class,
                registered(
                        "spring.application.name=caller",
                        "spring.cloud.zookeeper.discovery.register=false",
                        "rdma.client.targets.default.address=" + address,
                        "rdma.client.discovery.refresh-interval=200ms",
                        "rdma.client.timeout=20s"));
    }

    private void call(Stock stock) {
        for (int article = 0; !stopped; article++) {
            try {
                answers.computeIfAbsent(stock.processOf(article), _ -> new LongAdder())
                        .increment();
            } catch (Throwable e) {
                failed.add(e);
            }
        }
    }

    private long answered() {
        return answers.values().stream().mapToLong(LongAdder::sum).sum();
    }

    private void awaitMoreAnswers() {
        long before = answered();
        Awaitility.await().atMost(30, TimeUnit.SECONDS).until(() -> answered() > before + 500);
    }

    private void awaitProcesses(int count) {
        Awaitility.await().atMost(30, TimeUnit.SECONDS).until(() -> answers.size() == count);
    }

    @ParameterizedTest
    @ValueSource(strings = {"lb://" + SERVICE, "discovery:" + SERVICE})
    void noIdempotentCallFails(String address) throws Exception {
        startServer();
        startServer();
        try (ConfigurableApplicationContext client = client(address)) {
            Stock stock = client.getBean(Stock.class);
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                callers.add(Thread.ofVirtual().start(() -> call(stock)));
            }
            awaitProcesses(2);
            servers.removeFirst().close();
            assertThat(client.getBean(DiscoveryClient.class).getInstances(SERVICE))
                    .as("it has not said goodbye")
                    .hasSize(2);
            awaitMoreAnswers();
            startServer();
            awaitProcesses(3);
            servers.removeFirst().close();
            awaitMoreAnswers();
            stopped = true;
            for (Thread caller : callers) {
                assertThat(caller.join(Duration.ofSeconds(30))).isTrue();
            }
        }
        assertThat(failed).isEmpty();
    }
}
