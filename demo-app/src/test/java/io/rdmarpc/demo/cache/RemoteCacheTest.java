package io.rdmarpc.demo.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.demo.DemoApplication;
import io.rdmarpc.remote.RemoteMemory;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

@Timeout(120)
@ParameterizedClass(name = "shared memory: {0}")
@ValueSource(booleans = {true, false})
@ExtendWith(OutputCaptureExtension.class)
@DisplayName("The remote cache")
class RemoteCacheTest {

    private static final int GETS = 5_000;
    private static final int ENOUGH_TORN_READS = 20;

    private final boolean sharedMemory;
    private final HandlerThreads handlers = new HandlerThreads();
    private ConfigurableApplicationContext server;
    private ConfigurableApplicationContext client;

    RemoteCacheTest(boolean sharedMemory) {
        this.sharedMemory = sharedMemory;
    }

    /**
     * Platform threads for the server's methods. The JVM reports the CPU time of platform threads, but not of virtual
     * ones.
     */
    private static final class HandlerThreads {

        private final ThreadMXBean times = ManagementFactory.getThreadMXBean();
        private final List<Thread> threads = new CopyOnWriteArrayList<>();
        private final ExecutorService executor = Executors.newFixedThreadPool(2, task -> {
            Thread thread = new Thread(task, "cache-handler");
            threads.add(thread);
            return thread;
        });

        private long cpuNanos() {
            return threads.stream()
                    .mapToLong(thread -> times.getThreadCpuTime(thread.threadId()))
                    .sum();
        }

        /** Returns the CPU time of the threads once it no longer grows, that is after the last response. */
        private long cpuNanosAtRest() throws InterruptedException {
            long before = -1;
            long now = cpuNanos();
            while (now != before) {
                // No event reports that a handler thread became idle after its last response, so the test polls until
                // the CPU time is stable.
                Thread.sleep(20);
                before = now;
                now = cpuNanos();
            }
            return now;
        }
    }

    @BeforeEach
    void start() {
        server = run(
                "cache",
                context -> context.registerBean("rdmaServerExecutor", Executor.class, () -> handlers.executor),
                "--rdma.server.port=0");
        client = run(
                "cache-client",
                _ -> {},
                "--rdma.client.targets.default.address=127.0.0.1:"
                        + server.getEnvironment().getRequiredProperty("local.rdma.server.port"));
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
        handlers.executor.shutdown();
    }

    private ConfigurableApplicationContext run(
            String profile, Consumer<GenericApplicationContext> beans, String... arguments) {
        return new SpringApplicationBuilder(DemoApplication.class)
                .profiles(profile)
                .initializers(context -> beans.accept((GenericApplicationContext) context))
                .properties(
                        "demo.seconds=1",
                        "rdma.provider=soft",
                        "rdma.memory.max-size=256MB",
                        "rdma.soft.shared-memory.enabled=" + sharedMemory)
                .registerShutdownHook(false)
                .run(arguments);
    }

    private static byte[] filled(int length, int with) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) with);
        return bytes;
    }

    @Test
    @DisplayName("the comparison reads correct values by READs and by calls, and READs make no call")
    void whenItIsComparedThenEveryValueIsRight(CapturedOutput output) {
        assertThat(SpringApplication.exit(client)).isZero();
        assertThat(output).contains("GET by one-sided READ", "GET by call", "every value was checked and is correct");
    }

    @Test
    @DisplayName("GETs by READ use no CPU time of the server's handler threads and return the latest value")
    void whenEntriesAreReadThenTheServerDoesNothing() throws InterruptedException {
        RemoteCache cache = client.getBean(RemoteCache.class);
        CacheService byCall = client.getBean(CacheService.class);
        cache.put("one", filled(5, 1));
        assertThat(cache.get("one")).isPresent();
        long before = handlers.cpuNanosAtRest();
        for (int i = 0; i < GETS; i++) {
            assertThat(cache.get("one")).hasValue(filled(5, 1));
            assertThat(cache.get("none")).isEmpty();
        }
        assertThat(handlers.cpuNanosAtRest()).isEqualTo(before);
        assertThat(byCall.get("one")).isPresent();
        assertThat(handlers.cpuNanosAtRest()).isGreaterThan(before);
        cache.put("one", filled(300, 2));
        assertThat(cache.get("one")).hasValue(filled(300, 2));
    }

    @Test
    @DisplayName("READs meet an entry that is being rewritten, which never yields a torn value")
    void whenAnEntryIsRewrittenThenReadsAreWhole() throws InterruptedException {
        RemoteCache cache = client.getBean(RemoteCache.class);
        CacheStore store = server.getBean(CacheStore.class);
        store.put("hot", filled(400, 0));
        long before = store.usage().calls();
        AtomicBoolean running = new AtomicBoolean(true);
        AtomicInteger puts = new AtomicInteger();
        Thread writer = Thread.ofPlatform().start(() -> {
            while (running.get()) {
                int number = puts.getAndIncrement();
                store.put("hot", filled(200 + number % 250, number));
            }
        });
        int gets = 0;
        try {
            while (gets < GETS || cache.tornReads() < ENOUGH_TORN_READS) {
                gets++;
                byte[] value = cache.get("hot").orElseThrow();
                assertThat(value).hasSizeGreaterThanOrEqualTo(200).containsOnly(value[0]);
            }
        } finally {
            running.set(false);
            writer.join();
        }
        // A reader calls the service if the OS preempted the writer in the middle of an entry. That must stay an
        // exception.
        assertThat(store.usage().calls() - before - puts.get())
                .as("GETs by call")
                .isLessThan(gets / 10);
    }

    @Test
    @DisplayName("a client that lost the table with its connection attaches again")
    void whenTheTableIsLostThenTheClientAttachesAgain() {
        RemoteCache cache = client.getBean(RemoteCache.class);
        cache.put("one", filled(5, 1));
        assertThat(cache.get("one")).isPresent();
        server.getBean(RemoteMemory.class).disconnect();
        for (int i = 0; i < 100; i++) {
            assertThat(cache.get("one")).hasValue(filled(5, 1));
        }
    }
}
