package io.rdmarpc.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.integration.app.Orders;
import io.rdmarpc.integration.app.TestApplication;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.springframework.context.ConfigurableApplicationContext;

/** Contexts that come and go, as in a test suite or with devtools, leave nothing behind. */
@Timeout(120)
@EnabledOnOs(OS.LINUX)
class LeakTest {

    private static final int ROUNDS = 5;

    /** What the JVM opens by itself meanwhile: jars, a log. */
    private static final int OWN_FILES = 3;

    private static void openCallAndClose() {
        try (ConfigurableApplicationContext server = TestApplication.run(TestApplication.Server.class);
                ConfigurableApplicationContext client = TestApplication.client(server)) {
            Orders orders = client.getBean(Orders.class);
            assertThat(orders.add(1, 2)).isEqualTo(3);
            assertThat(orders.echo(new byte[2 << 20])).hasSize(2 << 20);
        }
    }

    /** Ours that were not there before: other tests may leave contexts running. */
    private static Set<String> threadsSince(Set<Thread> before) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !before.contains(thread))
                .map(Thread::getName)
                .filter(name -> name.startsWith("rdma-"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<Thread> threads() {
        return new HashSet<>(Thread.getAllStackTraces().keySet());
    }

    private static long files() {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static long mappings() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains("rdma")).count();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static long directMemory() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }

    @Test
    void whenContextsCloseThenThreadsFilesAndMemoryGo() {
        Set<Thread> threadsBefore = threads();
        openCallAndClose();
        Awaitility.await()
                .untilAsserted(() -> assertThat(threadsSince(threadsBefore)).isEmpty());
        long filesBefore = files();
        long mappingsBefore = mappings();
        System.gc();
        long memoryBefore = directMemory();
        for (int round = 0; round < ROUNDS; round++) {
            openCallAndClose();
        }
        Awaitility.await().untilAsserted(() -> {
            // Direct buffers go with the objects that hold them.
            System.gc();
            assertThat(threadsSince(threadsBefore)).isEmpty();
            assertThat(files()).isLessThanOrEqualTo(filesBefore + OWN_FILES);
            assertThat(mappings()).isLessThanOrEqualTo(mappingsBefore);
            assertThat(directMemory()).isLessThan(memoryBefore + (8 << 20));
        });
    }

    @Test
    void whenContextsPauseAndGoOnThenNothingGrows() {
        Set<Thread> threadsBefore = threads();
        try (ConfigurableApplicationContext server = TestApplication.run(TestApplication.Server.class);
                ConfigurableApplicationContext client = TestApplication.run(TestApplication.Client.class)) {
            pause(server, client, threadsBefore);
            Set<String> running = threadsSince(threadsBefore);
            long filesBefore = files();
            for (int round = 0; round < ROUNDS; round++) {
                pause(server, client, threadsBefore);
            }
            Awaitility.await().untilAsserted(() -> {
                assertThat(threadsSince(threadsBefore)).isEqualTo(running);
                assertThat(files()).isLessThanOrEqualTo(filesBefore + OWN_FILES);
            });
        }
    }

    private static void pause(
            ConfigurableApplicationContext server, ConfigurableApplicationContext client, Set<Thread> before) {
        client.stop();
        server.stop();
        assertThat(threadsSince(before)).doesNotContain("rdma-poll-soft0", "rdma-connections");
        server.start();
        client.start();
    }
}
