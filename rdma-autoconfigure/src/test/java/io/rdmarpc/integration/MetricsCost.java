package io.rdmarpc.integration;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rdmarpc.integration.app.Orders;
import io.rdmarpc.integration.app.OrdersImpl;
import io.rdmarpc.integration.app.TestApplication;
import io.rdmarpc.service.CallObserver;
import io.rdmarpc.service.MethodObserver;
import io.rdmarpc.service.ServerAddress;
import io.rdmarpc.service.observation.MicrometerCallObserver;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/**
 * What timers of both sides cost on a typed order. Client and server are two contexts of one JVM; short rounds with and without
 * timers take turns, so that whatever else the machine does falls on both. Run by {@code benchmarks/metrics-cost}.
 */
final class MetricsCost {

    private static final int WARM_UP_CALLS = 60_000;
    private static final int CALLS = 500;
    private static final int ROUNDS = 300;

    private static final Orders.Order ORDER = new Orders.Order(
            "ada",
            List.of(
                    new Orders.LineItem("apples", 3, new BigDecimal("1.20")),
                    new Orders.LineItem("pears", 2, new BigDecimal("2.50"))));

    private static volatile boolean timed;

    private MetricsCost() {}

    /** Timers that can be switched off while calls go on. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Client {

        @Bean
        CallObserver switchedObserver() {
            return new Switched(new MicrometerCallObserver(new SimpleMeterRegistry()));
        }
    }

    /** Offers the service, with the same switch. */
    static class Server extends Client {

        @Bean
        Orders orders() {
            return new OrdersImpl();
        }
    }

    private record Switched(CallObserver timers) implements CallObserver {

        @Override
        public MethodObserver client(String service, String method, String target, ServerAddress server) {
            return switched(timers.client(service, method, target, server));
        }

        @Override
        public MethodObserver server(String service, String method) {
            return switched(timers.server(service, method));
        }

        private static MethodObserver switched(MethodObserver observer) {
            return (status, failure, nanos) -> {
                if (timed) {
                    observer.onEnd(status, failure, nanos);
                }
            };
        }
    }

    public static void main(String[] args) {
        try (ConfigurableApplicationContext server = TestApplication.run(Server.class);
                ConfigurableApplicationContext client = TestApplication.run(
                        Client.class,
                        "rdma.client.targets.default.address=127.0.0.1:" + TestApplication.port(server))) {
            measure(client.getBean(Orders.class));
        }
    }

    private static void measure(Orders orders) {
        for (int i = 0; i < WARM_UP_CALLS; i++) {
            timed = i % 2 == 0;
            orders.place(ORDER);
        }
        double[] without = new double[ROUNDS];
        double[] with = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            boolean first = round % 2 == 0;
            (first ? with : without)[round] = round(orders, first);
            (first ? without : with)[round] = round(orders, !first);
        }
        double base = median(without);
        double all = median(with);
        System.out.printf(
                "typed order, median of %d rounds of %d calls: %.2f us without timers, %.2f us with timers on both sides,"
                        + " %+.1f %%%n",
                ROUNDS, CALLS, base, all, 100 * (all - base) / base);
    }

    /** The median of a round: a pause of the machine hits few calls. */
    private static double round(Orders orders, boolean withTimers) {
        timed = withTimers;
        double[] micros = new double[CALLS];
        for (int i = 0; i < CALLS; i++) {
            long start = System.nanoTime();
            orders.place(ORDER);
            micros[i] = (System.nanoTime() - start) / 1e3;
        }
        return median(micros);
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
