package io.rdmarpc.service.server.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.config.LoadLimits;
import io.rdmarpc.rpc.error.RdmaOverloadedException;
import io.rdmarpc.service.CallObserver;
import io.rdmarpc.service.Loopback;
import io.rdmarpc.service.client.RdmaServiceProxyFactory;
import io.rdmarpc.service.client.routing.RdmaTarget;
import io.rdmarpc.service.codec.ServiceCodecFactory;
import io.rdmarpc.service.codec.kryo.KryoRdmaSerializer;
import io.rdmarpc.service.server.ServiceExporter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

@DisplayName("The executor of calls")
@Timeout(60)
class CallExecutorTest {

    @RdmaService(name = "pace")
    interface Pace {

        CompletableFuture<Integer> run(int number);

        @RdmaMethod(interruptible = true)
        CompletableFuture<Integer> interruptible(int number);

        @RdmaMethod(execution = RdmaMethod.Execution.INLINE)
        void connect();
    }

    /** Runs what a test gives it, inside the method. */
    private volatile Runnable body = () -> {};

    private final AtomicInteger runs = new AtomicInteger();
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    /** The test runs the tasks, and checks the workers. */
    private final CallExecutor manual = new CallExecutor(tasks::add, _ -> {});

    private final List<ServerMethod> methods = new ArrayList<>();

    private Pace client(Executor threads) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerSingleton("pace", new Pace() {
            @Override
            public CompletableFuture<Integer> run(int number) {
                runs.incrementAndGet();
                body.run();
                return CompletableFuture.completedFuture(number);
            }

            @Override
            public CompletableFuture<Integer> interruptible(int number) {
                return run(number);
            }

            @Override
            public void connect() {}
        });
        ServiceCodecFactory codecs = KryoRdmaSerializer.codecFactory(getClass().getClassLoader(), List.of());
        Loopback loopback = new Loopback();
        for (ServiceExport export :
                new ServiceExporter(codecs, CallObserver.NONE, threads, LoadLimits.NONE).export(beans)) {
            loopback.export(export);
            export.methods().forEach(method -> methods.add((ServerMethod) method.handler()));
        }
        Pace client = new RdmaServiceProxyFactory(codecs, CallObserver.NONE, Runnable::run)
                .create(Pace.class, new RdmaTarget("t", "a", loopback, Duration.ofSeconds(30)));
        // The next calls then begin on the thread of the test.
        client.connect();
        return client;
    }

    private Pace quickClient(Executor threads) {
        Pace client = client(threads);
        becomeQuick();
        return client;
    }

    private void becomeQuick() {
        for (ServerMethod method : methods) {
            for (int i = 0; i < MethodPace.SHORT_RUNS; i++) {
                method.pace().ran(1);
            }
        }
    }

    private static List<CompletableFuture<Integer>> calls(Pace client, int count) {
        List<CompletableFuture<Integer>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(client.run(i));
        }
        return all;
    }

    private static void startThread(Runnable task) {
        Thread.ofVirtual().start(task);
    }

    @Test
    void whenAMethodIsSlowThenEachCallHasItsOwnThread() {
        var _ = calls(client(manual), 10);

        assertThat(tasks).hasSize(10);
    }

    @Test
    void whenAMethodIsQuickThenOneThreadRunsTheCallsThatWait() {
        List<CompletableFuture<Integer>> calls = calls(quickClient(manual), 10);
        assertThat(tasks).hasSize(1);

        tasks.remove().run();

        assertThat(calls).allMatch(CompletableFuture::isDone);
        assertThat(tasks).isEmpty();
    }

    @Test
    void whenTheThreadHasEndedThenTheNextCallStartsAnother() {
        Pace client = quickClient(manual);
        var _ = calls(client, 2);
        tasks.remove().run();

        CompletableFuture<Integer> later = client.run(7);
        tasks.remove().run();

        assertThat(later).isCompletedWithValue(7);
    }

    @Test
    void whenManyWaitThenFurtherCallsHaveTheirOwnThreads() {
        var _ = calls(quickClient(manual), CallExecutor.MAX_WAITING + 5);

        assertThat(tasks).hasSize(1 + 5);
    }

    @Test
    void whenAMethodIsInterruptibleThenEachCallHasItsOwnThread() {
        Pace client = quickClient(manual);
        var _ = client.interruptible(1);
        var _ = client.interruptible(2);

        assertThat(tasks).hasSize(2);
    }

    @Test
    void whenARunIsLongThenTheMethodIsSlow() throws Exception {
        Pace client = quickClient(CallExecutorTest::startThread);
        body = () -> {
            long end = System.nanoTime() + 2 * MethodPace.MAX_NANOS;
            while (System.nanoTime() - end < 0) {
                Thread.onSpinWait();
            }
        };

        client.run(1).get(30, TimeUnit.SECONDS);

        // The run is recorded after its response.
        Awaitility.await()
                .until(() -> methods.stream().anyMatch(method -> !method.pace().isQuick()));
    }

    @Test
    void whenACallRunsAtTwoChecksThenThoseBehindItHaveTheirOwnThreads() {
        Pace client = quickClient(manual);
        List<CompletableFuture<Integer>> calls = new ArrayList<>();
        body = () -> {
            body = () -> {};
            calls.addAll(calls(client, 3));
            assertThat(manual.checkWorkers()).isTrue();
            assertThat(tasks).isEmpty();
            assertThat(manual.checkWorkers()).isTrue();
            assertThat(tasks).hasSize(3);
        };
        CompletableFuture<Integer> first = client.run(0);

        tasks.remove().run();

        assertThat(first).isCompletedWithValue(0);
        assertThat(calls).noneMatch(CompletableFuture::isDone);
        tasks.forEach(Runnable::run);
        assertThat(calls).allMatch(CompletableFuture::isDone);
        assertThat(manual.checkWorkers()).isFalse();
    }

    @Test
    void whenACallRunsAtTwoChecksThenTheMethodIsSlow() {
        Pace client = quickClient(manual);
        body = () -> {
            body = () -> {};
            var _ = client.run(1);
            manual.checkWorkers();
            manual.checkWorkers();
        };
        var _ = client.run(0);
        tasks.remove().run();
        tasks.clear();

        var _ = calls(client, 3);

        assertThat(tasks).hasSize(3);
    }

    @Test
    void whenAQuickMethodWaitsForACallBehindItThenBothEnd() throws Exception {
        Pace client = quickClient(CallExecutorTest::startThread);
        CountDownLatch second = new CountDownLatch(1);
        AtomicBoolean first = new AtomicBoolean(true);
        body = () -> {
            if (first.getAndSet(false)) {
                await(second);
            } else {
                second.countDown();
            }
        };

        CompletableFuture<Integer> waiting = client.run(1);
        CompletableFuture<Integer> behind = client.run(2);

        assertThat(waiting.get(30, TimeUnit.SECONDS)).isOne();
        assertThat(behind.get(30, TimeUnit.SECONDS)).isEqualTo(2);
    }

    @Test
    void whenAQuickMethodComputesUntilACallBehindItRunsThenBothEnd() throws Exception {
        Pace client = quickClient(task -> Thread.ofPlatform().daemon().start(task));
        AtomicInteger entered = new AtomicInteger();
        body = () -> {
            int number = entered.incrementAndGet();
            while (number == 1 && entered.get() < 2) {
                Thread.onSpinWait();
            }
        };

        CompletableFuture<Integer> computing = client.run(1);
        CompletableFuture<Integer> behind = client.run(2);

        assertThat(computing.get(30, TimeUnit.SECONDS)).isOne();
        assertThat(behind.get(30, TimeUnit.SECONDS)).isEqualTo(2);
    }

    @Test
    void whenAllCallsBlockSuddenlyThenEachSoonHasItsOwnThread() throws Exception {
        Pace client = quickClient(CallExecutorTest::startThread);
        int count = CallExecutor.MAX_WAITING;
        CountDownLatch all = new CountDownLatch(count);
        body = () -> {
            all.countDown();
            await(all);
        };

        List<CompletableFuture<Integer>> calls = calls(client, count);

        for (CompletableFuture<Integer> call : calls) {
            assertThat(call.get(30, TimeUnit.SECONDS)).isNotNull();
        }
        assertThat(runs).hasValue(count);
    }

    @Test
    void whenTheExecutorRejectsThenTheCallsAreRejected() {
        AtomicBoolean rejects = new AtomicBoolean();
        Pace client = quickClient(new CallExecutor(
                task -> {
                    if (rejects.get()) {
                        throw new RejectedExecutionException("full");
                    }
                    tasks.add(task);
                },
                _ -> {}));
        rejects.set(true);

        CompletableFuture<Integer> call = client.run(1);

        assertThat(call)
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(RdmaOverloadedException.class)
                .withMessageContaining("the executor rejected the call");
    }

    @Test
    void whenTheExecutorHasRejectedThenTheNextCallStartsAThread() {
        AtomicBoolean rejects = new AtomicBoolean(true);
        Pace client = quickClient(new CallExecutor(
                task -> {
                    if (rejects.get()) {
                        throw new RejectedExecutionException("full");
                    }
                    tasks.add(task);
                },
                _ -> {}));
        var _ = client.run(1);
        rejects.set(false);

        CompletableFuture<Integer> next = client.run(2);
        tasks.remove().run();

        assertThat(next).isCompletedWithValue(2);
    }

    @Test
    void whenAMethodThrowsThenTheCallsBehindItRun() {
        Pace client = quickClient(manual);
        AtomicBoolean first = new AtomicBoolean(true);
        body = () -> {
            if (first.getAndSet(false)) {
                throw new AssertionError("the first call fails");
            }
        };
        List<CompletableFuture<Integer>> calls = calls(client, 3);

        tasks.remove().run();

        assertThat(calls.getFirst()).isCompletedExceptionally();
        assertThat(calls.subList(1, 3)).allMatch(call -> !call.isCompletedExceptionally());
    }

    /** Calls that block, compute or return at once in any order; the method becomes quick again and again. */
    @Test
    void whenThePaceChangesAllTheTimeThenEachCallEndsOnce() throws Exception {
        long seed = System.nanoTime();
        Pace client = quickClient(CallExecutorTest::startThread);
        Random random = new Random(seed);
        AtomicInteger random1000 = new AtomicInteger(random.nextInt(1_000));
        body = () -> {
            int kind = (random1000.getAndAdd(7_919) & Integer.MAX_VALUE) % 1_000;
            if (kind < 5) {
                sleepMillis(1 + kind);
            } else if (kind < 20) {
                long end = System.nanoTime() + 100_000;
                while (System.nanoTime() - end < 0) {
                    Thread.onSpinWait();
                }
            }
        };
        int count = 20_000;
        List<CompletableFuture<Integer>> calls = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            calls.add(client.run(i));
            if (i % 100 == 0) {
                becomeQuick();
            }
        }
        for (int i = 0; i < count; i++) {
            assertThat(calls.get(i).get(30, TimeUnit.SECONDS))
                    .as("seed %d", seed)
                    .isEqualTo(i);
        }

        assertThat(runs).as("seed %d", seed).hasValue(count);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void sleepMillis(int millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
