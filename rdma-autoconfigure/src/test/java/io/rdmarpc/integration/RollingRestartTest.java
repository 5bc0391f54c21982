package io.rdmarpc.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.integration.app.CountingApplication;
import io.rdmarpc.integration.app.CountingApplication.Till;
import io.rdmarpc.integration.app.FreePort;
import io.rdmarpc.integration.app.ServerProcess;
import io.rdmarpc.integration.app.TestApplication;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

@Timeout(300)
@DisplayName("Servers that are stopped by SIGTERM under load, and come back")
@Tag("processes")
class RollingRestartTest {

    private static final int CALLERS = 16;
    private static final int ROUNDS = 10;
    private static final Duration GRACE = Duration.ofSeconds(20);

    private final List<ServerProcess> servers = new ArrayList<>();
    private final AtomicLong answered = new AtomicLong();
    private final AtomicLong ran = new AtomicLong();
    private final AtomicInteger caller = new AtomicInteger();
    private final Queue<Throwable> failed = new ConcurrentLinkedQueue<>();
    private final Set<Long> answering = ConcurrentHashMap.newKeySet();
    private volatile boolean stopped;

    @AfterEach
    void killAll() {
        stopped = true;
        servers.forEach(ServerProcess::close);
    }

    private static ServerProcess start(int port) throws IOException {
        return ServerProcess.start(
                CountingApplication.class,
                "rdma.server.port=" + port,
                "rdma.server.shutdown.grace-period=" + GRACE.toSeconds() + "s");
    }

    private ConfigurableApplicationContext client(String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.add("rdma.client.targets.default.address="
                + servers.stream().map(ServerProcess::address).collect(Collectors.joining(",")));
        all.add("rdma.client.timeout=60s");
        return TestApplication.run(TestApplication.Client.class, all.toArray(String[]::new));
    }

    /** Every fourth caller sends what is READ. */
    private void call(Till till) {
        byte[] receipt = new byte[caller.getAndIncrement() % 4 == 0 ? 20_000 : 20];
        while (!stopped) {
            try {
                answering.add(till.book(receipt));
                answered.incrementAndGet();
            } catch (Throwable e) {
                failed.add(e);
                return;
            }
        }
    }

    private List<Thread> startCallers(Till till) {
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            callers.add(Thread.ofVirtual().start(() -> call(till)));
        }
        return callers;
    }

    private void awaitAnswersOf(ServerProcess server) {
        answering.clear();
        long before = answered.get();
        Awaitility.await()
                .atMost(60, TimeUnit.SECONDS)
                .until(() -> !failed.isEmpty() || (answering.contains(server.pid()) && answered.get() > before + 300));
        assertThat(failed).as("calls that failed").isEmpty();
    }

    private void stop(ServerProcess server) throws InterruptedException {
        List<String> printed = server.stop();
        String count = printed.stream()
                .filter(line -> line.startsWith(CountingApplication.RAN))
                .findFirst()
                .orElseThrow(() -> new AssertionError("the server ended without a count: " + printed));
        ran.addAndGet(Long.parseLong(count.substring(CountingApplication.RAN.length())));
    }

    private void restart(int index) throws IOException, InterruptedException {
        ServerProcess old = servers.get(index);
        awaitAnswersOf(old);
        long begun = System.nanoTime();
        stop(old);
        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .as("a stop lasts as long as its calls, not as long as the grace")
                .isLessThan(GRACE);
        servers.set(index, start(old.port()));
    }

    private void finish(List<Thread> callers) throws InterruptedException {
        for (ServerProcess server : servers) {
            awaitAnswersOf(server);
        }
        stopped = true;
        for (Thread each : callers) {
            assertThat(each.join(Duration.ofSeconds(60))).isTrue();
        }
        for (ServerProcess server : servers) {
            stop(server);
        }
        assertThat(failed).as("calls that failed").isEmpty();
        assertThat(ran.get()).as("calls that ran, by the count of the servers").isEqualTo(answered.get());
    }

    @Test
    @DisplayName("of two servers behind one target no call fails, and each runs once")
    void whenTwoServersAreRestartedInTurnThenNoCallFails() throws Exception {
        servers.add(start(FreePort.find()));
        servers.add(start(FreePort.find()));
        try (ConfigurableApplicationContext client = client("rdma.client.targets.default.policy=round-robin")) {
            List<Thread> callers = startCallers(client.getBean(Till.class));
            for (int round = 0; round < ROUNDS; round++) {
                restart(round % 2);
            }
            finish(callers);
        }
    }

    @Test
    @DisplayName("of one server calls wait until it is back, no call is in doubt, and each runs once")
    void whenTheOnlyServerIsRestartedThenCallsWaitUntilItIsBack() throws Exception {
        servers.add(start(FreePort.find()));
        try (ConfigurableApplicationContext client = client()) {
            List<Thread> callers = startCallers(client.getBean(Till.class));
            for (int round = 0; round < ROUNDS; round++) {
                restart(0);
            }
            finish(callers);
        }
    }
}
