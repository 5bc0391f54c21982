package io.rdmarpc.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.integration.app.Orders;
import io.rdmarpc.integration.app.TestApplication;
import io.rdmarpc.rpc.error.RdmaNotExecutedException;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

@Timeout(60)
@DisplayName("Calls before an application runs, while it closes, and after that")
class EarlyAndLateCallsTest {

    private static final List<String> CALLED = new ArrayList<>();

    private ConfigurableApplicationContext server;

    /** Calls in every phase of its life. */
    static class Caller implements InitializingBean, SmartInitializingSingleton, DisposableBean {

        private final Orders orders;

        Caller(Orders orders) {
            this.orders = orders;
        }

        @Override
        public void afterPropertiesSet() {
            call("initialized");
        }

        @Override
        public void afterSingletonsInstantiated() {
            call("all made");
        }

        @Override
        public void destroy() {
            call("destroyed");
        }

        private void call(String when) {
            assertThat(orders.add(1, 2)).isEqualTo(3);
            assertThat(orders.echo(new byte[100_000])).hasSize(100_000);
            CALLED.add(when);
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Caller.class)
    static class Calling {}

    /** Has the client, and no bean that the container could destroy in time because of that. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Outliving {

        @Bean
        static Last last(ObjectProvider<Orders> orders) {
            return new Last(orders);
        }
    }

    static class Last {

        private final ObjectProvider<Orders> orders;

        Last(ObjectProvider<Orders> orders) {
            this.orders = orders;
        }
    }

    @BeforeEach
    void start() {
        CALLED.clear();
        server = TestApplication.run(TestApplication.Server.class);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private ConfigurableApplicationContext run(Class<?> application) {
        return TestApplication.run(
                application,
                "rdma.client.targets.default.address=127.0.0.1:" + TestApplication.port(server),
                "rdma.client.timeout=10s");
    }

    @Test
    void whenABeanCallsAsItIsMadeOrDestroyedThenItIsAnswered() {
        RdmaRuntime runtime;
        try (ConfigurableApplicationContext client = run(Calling.class)) {
            runtime = client.getBean(RdmaRuntime.class);
            assertThat(CALLED).containsExactly("initialized", "all made");
        }

        assertThat(CALLED).containsExactly("initialized", "all made", "destroyed");
        assertThat(runtime.isClosed()).isTrue();
        assertThat(runtime.isRunning()).isFalse();
        assertThat(runtime.registeredBytes()).isZero();
    }

    @Test
    void whenTheApplicationIsClosedThenTheMessageSaysSo() {
        AtomicReference<Orders> kept = new AtomicReference<>();
        try (ConfigurableApplicationContext client = run(Outliving.class)) {
            kept.set(client.getBean(Last.class).orders.getObject());
            assertThat(kept.get().add(1, 2)).isEqualTo(3);
        }

        long begun = System.nanoTime();
        assertThatExceptionOfType(RdmaNotExecutedException.class)
                .isThrownBy(() -> kept.get().add(1, 2))
                .withMessageContaining("is closed")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("Check that the server runs"));
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(5));
    }

    @Test
    void whenTheApplicationIsPausedThenCallsDoNotStartIt() {
        try (ConfigurableApplicationContext client = run(TestApplication.Client.class)) {
            Orders orders = client.getBean(Orders.class);
            assertThat(orders.add(1, 2)).isEqualTo(3);
            client.stop();

            assertThatExceptionOfType(RdmaNotExecutedException.class)
                    .isThrownBy(() -> orders.add(1, 2))
                    .withMessageContaining("is not running: start it, or the application context that has stopped it")
                    .satisfies(e -> assertThat(e.getMessage()).doesNotContain("Check that the server runs"));

            assertThat(client.getBean(RdmaRuntime.class).isRunning()).isFalse();
            client.start();
            assertThat(orders.add(1, 2)).isEqualTo(3);
        }
    }
}
