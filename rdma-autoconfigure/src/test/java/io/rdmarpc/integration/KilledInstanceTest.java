package io.rdmarpc.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.integration.app.Orders;
import io.rdmarpc.integration.app.ServerProcess;
import io.rdmarpc.integration.app.TestApplication;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

@Timeout(180)
@DisplayName("Instances that are killed under load")
@Tag("processes")
class KilledInstanceTest {

    private static final int CALLERS = 8;

    private final Deque<ServerProcess> servers = new ArrayDeque<>();
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger answered = new AtomicInteger();
    private final Queue<RdmaRpcException> failed = new ConcurrentLinkedQueue<>();
    private final Queue<Throwable> unexpected = new ConcurrentLinkedQueue<>();
    private volatile boolean stopped;

    @AfterEach
    void killAll() {
        servers.forEach(ServerProcess::close);
    }

    private void call(Orders orders) {
        while (!stopped) {
            int number = begun.incrementAndGet();
            try {
                BigDecimal total = orders.placeOne("bolt " + number).total();
                assertThat(total).isEqualTo(BigDecimal.ONE);
                answered.incrementAndGet();
            } catch (RdmaRpcException e) {
                failed.add(e);
            } catch (Throwable e) {
                unexpected.add(e);
            }
        }
    }

    private void awaitMoreAnswers() {
        int before = answered.get();
        Awaitility.await().atMost(30, TimeUnit.SECONDS).until(() -> answered.get() > before + 500);
    }

    private ConfigurableApplicationContext client() {
        return TestApplication.run(
                TestApplication.Client.class,
                "rdma.client.targets.default.address="
                        + servers.stream().map(ServerProcess::address).collect(Collectors.joining(",")),
                "rdma.client.targets.default.policy=round-robin",
                "rdma.client.timeout=5s");
    }

    @Test
    void whenInstancesAreKilledThenEachCallEndsAndCallsGoOnByTheOthers() throws Exception {
        for (int i = 0; i < 3; i++) {
            servers.add(ServerProcess.start(TestApplication.Server.class));
        }
        try (ConfigurableApplicationContext client = client()) {
            Orders orders = client.getBean(Orders.class);
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                callers.add(Thread.ofVirtual().start(() -> call(orders)));
            }
            awaitMoreAnswers();
            for (int left = 2; left > 0; left--) {
                servers.removeFirst().close();
                awaitMoreAnswers();
                int failures = failed.size();
                awaitMoreAnswers();
                assertThat(failed).as("once the others have taken over").hasSize(failures);
            }
            stopped = true;
            for (Thread caller : callers) {
                assertThat(caller.join(Duration.ofSeconds(30))).isTrue();
            }
        }
        assertThat(unexpected).isEmpty();
        assertThat(answered.get() + failed.size()).isEqualTo(begun.get());
        // At most what was under way when an instance went, and what noticed it: no call is made twice by itself.
        assertThat(failed)
                .hasSizeLessThanOrEqualTo(2 * 4 * CALLERS)
                .allMatch(e -> e instanceof RdmaUnavailableException || e instanceof RdmaTimeoutException);
    }
}
