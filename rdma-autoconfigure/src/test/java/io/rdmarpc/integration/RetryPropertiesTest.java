package io.rdmarpc.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.integration.app.TestApplication;
import io.rdmarpc.rpc.error.RdmaOverloadedException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.RdmaStatusException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

@Timeout(60)
@DisplayName("How often an idempotent call is tried where its method does not say")
class RetryPropertiesTest {

    private static final AtomicInteger RUNS = new AtomicInteger();

    private static ConfigurableApplicationContext server;

    @RdmaService(name = "test.Counter")
    public interface Counter {

        /** Has too much to do until it has been asked often enough. */
        @RdmaMethod(idempotent = true)
        int answerAtRun(int wanted);
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class CounterApplication {

        @Bean
        Counter counter() {
            return wanted -> {
                int run = RUNS.incrementAndGet();
                if (run < wanted) {
                    throw new RdmaStatusException(RpcStatus.OVERLOADED, "come again");
                }
                return run;
            };
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class CounterClient {}

    @BeforeAll
    static void start() {
        server = TestApplication.run(CounterApplication.class);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void countAnew() {
        RUNS.set(0);
    }

    private static ConfigurableApplicationContext client(String attempts) {
        return TestApplication.run(
                CounterClient.class,
                "rdma.client.targets.default.address=127.0.0.1:" + TestApplication.port(server),
                "rdma.client.timeout=20s",
                "rdma.client.retry.initial-interval=1ms",
                "rdma.client.retry.max-attempts=" + attempts);
    }

    @Test
    void whenTheSettingsAllowFiveThenTheFifthAttemptIsAnswered() {
        try (ConfigurableApplicationContext client = client("5")) {
            assertThat(client.getBean(Counter.class).answerAtRun(5)).isEqualTo(5);
        }
    }

    @Test
    void whenTheSettingsAllowOneThenThereIsNoSecondAttempt() {
        try (ConfigurableApplicationContext client = client("1")) {
            assertThatExceptionOfType(RdmaOverloadedException.class)
                    .isThrownBy(() -> client.getBean(Counter.class).answerAtRun(2));
            assertThat(RUNS).hasValue(1);
        }
    }
}
