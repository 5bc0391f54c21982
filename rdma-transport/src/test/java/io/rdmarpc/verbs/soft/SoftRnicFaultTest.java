package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.soft.link.PacketLink;
import io.rdmarpc.verbs.soft.link.UdpLink;
import io.rdmarpc.verbs.soft.port.DeviceConstants;
import io.rdmarpc.verbs.soft.port.LocalGidTable;
import io.rdmarpc.verbs.soft.rnic.OpenChildren;
import io.rdmarpc.verbs.soft.rnic.ProgressThread;
import io.rdmarpc.verbs.soft.rnic.SoftCompletionChannel;
import io.rdmarpc.verbs.soft.rnic.SoftCompletionQueue;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.Inet4Address;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("A software RNIC whose link throws")
@Timeout(60)
class SoftRnicFaultTest {

    private static final Inet4Address LOOPBACK = Inet4Address.ofLiteral("127.0.0.1");
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Set<String> STEPS = Set.of("poll", "flush", "prepareSleep", "endSleep", "longestSleepNanos");

    private final Set<String> failing = ConcurrentHashMap.newKeySet();
    private final AtomicInteger thrown = new AtomicInteger();
    private volatile Error error = new InternalError("on purpose");
    private SoftRnic rnic;

    @BeforeEach
    void open() throws IOException {
        PacketLink link = UdpLink.open(List.of(LOOPBACK), 0);
        PacketLink faulty = (PacketLink) Proxy.newProxyInstance(
                PacketLink.class.getClassLoader(), new Class<?>[] {PacketLink.class}, (_, method, arguments) -> {
                    if (failing.contains(method.getName())) {
                        thrown.incrementAndGet();
                        throw error;
                    }
                    try {
                        return method.invoke(link, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        rnic = new SoftRnic(LocalGidTable.of(List.of(LOOPBACK)), faulty, System::nanoTime);
    }

    @AfterEach
    void close() {
        failing.clear();
        if (rnic.context().isClosed()) {
            return;
        }
        rnic.lock();
        try {
            rnic.close();
        } finally {
            rnic.unlock();
        }
    }

    static Stream<Error> errors() {
        return Stream.of(
                new InternalError("a fault occurred in an unsafe memory access operation"),
                new OutOfMemoryError("Java heap space"),
                new StackOverflowError("on purpose"));
    }

    private void expectLockIsFree() throws InterruptedException {
        Thread other = Thread.ofPlatform().daemon().start(() -> {
            rnic.lock();
            rnic.unlock();
        });
        assertThat(other.join(PATIENCE)).as("another thread got the lock").isTrue();
    }

    @ParameterizedTest
    @MethodSource("errors")
    @DisplayName("can still be polled, and releases its lock")
    void whenTheLinkThrowsThenPollsContinue(Error fault) throws InterruptedException {
        error = fault;
        CompletionQueue cq =
                new SoftCompletionQueue(rnic.context(), rnic.events(), rnic.queuePairs(), 16, null, new OpenChildren());
        WorkCompletions into = WorkCompletions.allocate(Arena.ofAuto(), 16);
        failing.addAll(STEPS);

        for (int i = 0; i < 10; i++) {
            assertThat(cq.poll(into, 16)).isZero();
        }
        assertThat(thrown.get()).isPositive();
        expectLockIsFree();
        cq.close();
    }

    @ParameterizedTest
    @MethodSource("errors")
    @DisplayName("releases its lock if its driver fails before a sleep, and threads can wait again")
    void whenASleepThrowsThenTheLockIsFree(Error fault) throws InterruptedException {
        error = fault;
        CompletionChannel channel = new SoftCompletionChannel(rnic.context(), new OpenChildren());
        for (String step : STEPS) {
            failing.add(step);
            Throwable failure = awaitQuietly(channel);
            failing.clear();
            expectLockIsFree();
            assertThat(failure == null || failure.equals(fault)).as(step).isTrue();
            assertThat(awaitQuietly(channel)).as("after %s", step).isNull();
        }
        channel.close();
    }

    private static @Nullable Throwable awaitQuietly(CompletionChannel channel) {
        try {
            int _ = channel.await(Duration.ofMillis(5));
            return null;
        } catch (Error e) {
            return e;
        }
    }

    @Test
    @DisplayName("has a progress thread that survives, and ends with the RNIC")
    void whenTheLinkThrowsThenTheProgressThreadSurvives() throws InterruptedException {
        failing.addAll(STEPS);
        ProgressThread thread = ProgressThread.start(rnic.context());
        for (Error fault : errors().toList()) {
            error = fault;
            int before = thrown.get();
            await(() -> thrown.get() > before + 20);
            expectLockIsFree();
        }
        failing.clear();
        rnic.lock();
        rnic.close();
        rnic.unlock();
        thread.join();
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .doesNotContain("rdma-progress-" + DeviceConstants.NAME);
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).as("waited in vain").isNegative();
            Thread.sleep(1);
        }
    }
}
