package io.rdmarpc.service.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.rpc.config.LoadLimits;
import io.rdmarpc.rpc.error.RdmaOverloadedException;
import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.CallObserver;
import io.rdmarpc.service.Loopback;
import io.rdmarpc.service.MethodObserver;
import io.rdmarpc.service.ServerAddress;
import io.rdmarpc.service.client.RdmaServiceProxyFactory;
import io.rdmarpc.service.client.routing.RdmaTarget;
import io.rdmarpc.service.codec.ServiceCodecFactory;
import io.rdmarpc.service.codec.kryo.KryoRdmaSerializer;
import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.interceptor.DebugInterceptor;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;

/** Service beans behind the dispatcher, called by client proxies with real messages. */
@Timeout(20)
class ServiceExporterTest {

    @RdmaService(name = "clock")
    interface Clock {

        String now(String zone);

        @RdmaMethod(execution = RdmaMethod.Execution.INLINE)
        String inlineThread();

        String workerThread();

        String overridden();

        CompletableFuture<String> later(CompletableFutureKind kind);

        void fail(String how);

        byte[] bytes(int count);

        Object unregistered();
    }

    enum CompletableFutureKind {
        DONE,
        FAILED,
        NULL,
        THROWS
    }

    static class ClockBean implements Clock {

        @Override
        public String now(String zone) {
            return "12:00 " + zone;
        }

        @Override
        public String inlineThread() {
            return Thread.currentThread().getName();
        }

        @Override
        public String workerThread() {
            return Thread.currentThread().getName();
        }

        @Override
        @RdmaMethod(execution = RdmaMethod.Execution.INLINE)
        public String overridden() {
            return Thread.currentThread().getName();
        }

        @Override
        public CompletableFuture<String> later(CompletableFutureKind kind) {
            return switch (kind) {
                case DONE -> CompletableFuture.supplyAsync(() -> "later");
                case FAILED ->
                    CompletableFuture.failedFuture(new CompletionException(new IllegalStateException("not now")));
                case NULL -> null;
                case THROWS -> throw new IllegalArgumentException("thrown");
            };
        }

        @Override
        public void fail(String how) {
            switch (how) {
                case "overflow" -> fail(how);
                case "error" -> throw new AssertionError("broken");
                case "no message" -> throw new IllegalStateException();
                case "nested call" -> throw new RdmaUnavailableException("another server is unreachable");
                case "loop" -> throw new LoopingException();
                default -> throw new IllegalArgumentException(how, new UnsupportedOperationException("root"));
            }
        }

        @Override
        public byte[] bytes(int count) {
            return new byte[count];
        }

        @Override
        @SuppressWarnings("UnnecessaryStringBuilder")
        public Object unregistered() {
            return new StringBuilder("x");
        }
    }

    static final class LoopingException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no message for you");
        }
    }

    private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
    private final ServiceCodecFactory codecs =
            KryoRdmaSerializer.codecFactory(getClass().getClassLoader(), List.of());
    private final Loopback loopback = new Loopback();
    private final List<String> observed = new CopyOnWriteArrayList<>();
    private final Executor workers = task -> Thread.ofVirtual().name("worker").start(task);

    private final CallObserver observer = new CallObserver() {
        @Override
        public MethodObserver client(String service, String method, String target, ServerAddress server) {
            return MethodObserver.NONE;
        }

        @Override
        public MethodObserver server(String service, String method) {
            return (status, failure, nanos) -> observed.add(service + "." + method + " " + status + " "
                    + (failure == null ? "-" : failure.getClass().getSimpleName()));
        }
    };

    @AfterEach
    void everyBufferWasReleased() {
        assertThat(loopback.messages.open()).isZero();
    }

    private ServiceExporter exporter(int most, Executor executor) {
        return new ServiceExporter(codecs, observer, executor, new LoadLimits(most, Duration.ZERO));
    }

    private Clock clock() {
        return clock(exporter(10, workers));
    }

    private Clock clock(ServiceExporter exporter) {
        if (!beans.containsBean("clock")) {
            beans.registerBeanDefinition("clock", new RootBeanDefinition(ClockBean.class));
        }
        exporter.export(beans).forEach(loopback::export);
        return new RdmaServiceProxyFactory(codecs, CallObserver.NONE, Runnable::run)
                .create(Clock.class, new RdmaTarget("t", "a", loopback, Duration.ofSeconds(5)));
    }

    @Test
    void shouldCallTheBean() {
        assertThat(clock().now("UTC")).isEqualTo("12:00 UTC");
        Awaitility.await().untilAsserted(() -> assertThat(observed).containsExactly("clock.now OK -"));
    }

    @Test
    void shouldCallTheProxiesOfTheBean() {
        ProxyFactory proxies = new ProxyFactory(new ClockBean());
        DebugInterceptor interceptor = new DebugInterceptor();
        proxies.addAdvice(interceptor);
        beans.registerSingleton("clock", proxies.getProxy());
        clock().now("UTC");
        assertThat(interceptor.getCount()).isOne();
    }

    @Test
    void shouldRunInlineMethodsOnThePollingThread() {
        Clock clock = clock();
        String here = Thread.currentThread().getName();
        assertThat(clock.inlineThread()).isEqualTo(here);
        assertThat(clock.overridden()).as("annotated on the implementation").isEqualTo(here);
        assertThat(clock.workerThread()).isEqualTo("worker");
    }

    @Test
    void whenAFutureCompletesThenTheResponseIsSent() throws Exception {
        Clock clock = clock();
        assertThat(clock.later(CompletableFutureKind.DONE).get()).isEqualTo("later");
        assertFutureFails(clock, CompletableFutureKind.FAILED, "not now");
        assertFutureFails(clock, CompletableFutureKind.NULL, "the method returned null instead of a future");
        assertFutureFails(clock, CompletableFutureKind.THROWS, "thrown");
    }

    private static void assertFutureFails(Clock clock, CompletableFutureKind kind, String message) {
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> clock.later(kind).get())
                .havingCause()
                .isInstanceOf(RdmaRemoteException.class)
                .withMessageEndingWith(": " + message);
    }

    @Test
    void whenAMethodThrowsThenTheCallerGetsTheMessage() {
        Clock clock = clock();
        assertFails(
                clock,
                "bad",
                IllegalArgumentException.class,
                "bad; caused by java.lang.UnsupportedOperationException: root");
        assertFails(clock, "overflow", StackOverflowError.class, "StackOverflowError");
        assertFails(clock, "error", AssertionError.class, "broken");
        assertFails(clock, "no message", IllegalStateException.class, "IllegalStateException");
        assertFails(clock, "nested call", RdmaUnavailableException.class, "another server is unreachable");
        assertFails(clock, "loop", LoopingException.class, "LoopingException");
        Awaitility.await()
                .untilAsserted(
                        () -> assertThat(observed).hasSize(6).contains("clock.fail HANDLER_FAILED StackOverflowError"));
    }

    private static void assertFails(Clock clock, String how, Class<?> type, String message) {
        assertThatExceptionOfType(RdmaRemoteException.class)
                .isThrownBy(() -> clock.fail(how))
                .withMessage("clock.fail at t (a) threw " + type.getName() + ": " + message)
                .satisfies(e -> assertThat(e.remoteType()).isEqualTo(type.getName()))
                .satisfies(e -> assertThat(e.status()).isEqualTo(RpcStatus.HANDLER_FAILED));
    }

    @Test
    void whenAResultCannotBeSentThenTheCallerGetsAFailure() {
        Clock clock = clock();
        assertThatExceptionOfType(RdmaRpcException.class)
                .isThrownBy(() -> clock.bytes(65 << 20))
                .satisfies(e -> assertThat(e.status()).isEqualTo(RpcStatus.MESSAGE_TOO_LARGE))
                .withMessageContaining("rdma.max-message-size");
        assertThatExceptionOfType(RdmaRpcException.class)
                .isThrownBy(clock::unregistered)
                .satisfies(e -> assertThat(e.status()).isEqualTo(RpcStatus.INTERNAL))
                .withMessageContaining("java.lang.StringBuilder");
    }

    @Test
    void whenArgumentsAreMalformedThenTheCallIsRejected() {
        Clock clock = clock();
        var service = io.rdmarpc.service.contract.ServiceDescription.of(Clock.class);
        int bytes = service.methods().stream()
                .filter(method -> method.name().equals("bytes"))
                .findFirst()
                .orElseThrow()
                .id();
        List<RdmaRpcException> failures = new CopyOnWriteArrayList<>();
        var session = loopback.session(Duration.ofSeconds(1));
        var message = session.allocate(100);
        message.length(100);
        CountDownLatch end = new CountDownLatch(1);
        session.call(bytes, message, 1_000_000_000, new io.rdmarpc.rpc.ResponseHandler() {
            @Override
            public void onResponse(io.rdmarpc.rpc.message.InboundMessage response) {
                end.countDown();
            }

            @Override
            public void onFailure(RdmaRpcException failure) {
                failures.add(failure);
                end.countDown();
            }
        });
        await(end);
        assertThat(failures)
                .singleElement()
                .extracting(RdmaRpcException::status)
                .isEqualTo(RpcStatus.INVALID_REQUEST);
        assertThat(clock.now("UTC")).isEqualTo("12:00 UTC");
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(5, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whenTheLimitIsReachedThenCallsAreRejectedUntilOneEnds() {
        List<Runnable> waiting = new CopyOnWriteArrayList<>();
        Clock clock = clock(exporter(2, waiting::add));
        CompletableFuture<String> first = clock.later(CompletableFutureKind.DONE);
        CompletableFuture<String> second = clock.later(CompletableFutureKind.DONE);
        await(waiting, 2);
        assertThatExceptionOfType(RdmaRpcException.class)
                .isThrownBy(() -> clock.now("UTC"))
                .satisfies(e -> assertThat(e.status()).isEqualTo(RpcStatus.OVERLOADED))
                .satisfies(e -> assertThat(e.retryAfter()).isPositive())
                .withMessageContaining("rdma.server.max-concurrent-calls");
        waiting.forEach(Runnable::run);
        assertThat(first.join()).isEqualTo(second.join());
        // INLINE runs without the executor.
        assertThat(clock.inlineThread()).isNotEmpty();
    }

    private static void await(List<Runnable> waiting, int size) {
        while (waiting.size() < size) {
            Thread.onSpinWait();
        }
    }

    @Test
    @DisplayName("FL-07 a call that has waited too long for a thread is rejected with a retry-after")
    void whenACallHasWaitedTooLongThenItIsRejected() {
        Clock clock = clock(new ServiceExporter(
                codecs,
                observer,
                task -> Thread.ofVirtual().start(() -> {
                    LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
                    task.run();
                }),
                new LoadLimits(10, Duration.ofMillis(5))));

        assertThatExceptionOfType(RdmaOverloadedException.class)
                .isThrownBy(() -> clock.now("UTC"))
                .satisfies(e -> assertThat(e.retryAfter()).isPositive())
                .withMessageContaining("for a thread");
        Awaitility.await().untilAsserted(() -> assertThat(observed).containsExactly("clock.now OVERLOADED -"));
    }

    @Test
    @DisplayName("FL-07 the transfer time of a large request is not queue time")
    void whenTheTransferOfTheRequestTookLongThenTheCallRuns() {
        loopback.readNanos = Duration.ofMinutes(1).toNanos();
        LoadLimits limits = new LoadLimits(10, Duration.ofSeconds(30));
        Clock clock = clock(new ServiceExporter(codecs, observer, Runnable::run, limits));

        assertThat(clock.now("UTC")).contains("UTC");
    }

    @Test
    @DisplayName("FL-07 a rejection by the executor is reported as overload")
    void whenTheExecutorRejectsThenTheCallerGetsARetryAfter() {
        Clock clock = clock(exporter(10, task -> {
            throw new RejectedExecutionException("full");
        }));
        for (int i = 0; i < 20; i++) {
            assertThatExceptionOfType(RdmaRpcException.class)
                    .isThrownBy(() -> clock.now("UTC"))
                    .satisfies(e -> assertThat(e.status()).isEqualTo(RpcStatus.OVERLOADED));
        }
    }

    static Stream<Throwable> failuresOfExecutors() {
        return Stream.of(
                new OutOfMemoryError("unable to create native thread"), new IllegalStateException("a broken executor"));
    }

    /** Twenty calls with a limit of ten: each call must leave the gate. */
    @ParameterizedTest
    @MethodSource("failuresOfExecutors")
    @DisplayName("FL-07 a failure of the executor is reported as overload")
    void whenTheExecutorFailsThenTheCallIsRejectedAndLeavesTheGate(Throwable failure) {
        Clock clock = clock(exporter(10, task -> {
            throw sneaky(failure);
        }));
        for (int i = 0; i < 20; i++) {
            assertThatExceptionOfType(RdmaRpcException.class)
                    .isThrownBy(() -> clock.now("UTC"))
                    .satisfies(e -> assertThat(e.status()).isEqualTo(RpcStatus.OVERLOADED))
                    .withMessageContaining("the server's executor failed");
        }
    }

    private static RuntimeException sneaky(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        return (RuntimeException) failure;
    }

    @Test
    void whenTheDeadlineHasPassedThenTheMethodDoesNotRun() {
        List<Runnable> waiting = new CopyOnWriteArrayList<>();
        ServiceExporter exporter = exporter(10, waiting::add);
        exporter.export(registered()).forEach(loopback::export);
        Clock hurried = new RdmaServiceProxyFactory(codecs, CallObserver.NONE, Runnable::run)
                .create(Clock.class, new RdmaTarget("t", "a", loopback, Duration.ofMillis(200)));
        CompletableFuture<String> late = hurried.later(CompletableFutureKind.DONE);
        await(waiting, 1);
        try {
            // The call's 200 ms must pass while it waits for a thread, because deadlines use the real clock.
            Thread.sleep(250);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        waiting.getFirst().run();
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(late::join)
                .withMessageContaining("the method has not run");
        assertThat(observed).containsExactly("clock.later DEADLINE_EXCEEDED -");
    }

    private DefaultListableBeanFactory registered() {
        beans.registerBeanDefinition("clock", new RootBeanDefinition(ClockBean.class));
        return beans;
    }

    @Test
    void whenTheGateIsClosedThenCallsAreRejectedAndItDrains() {
        List<Runnable> waiting = new CopyOnWriteArrayList<>();
        ServiceExporter exporter = exporter(10, waiting::add);
        Clock clock = clock(exporter);
        CompletableFuture<String> running = clock.later(CompletableFutureKind.DONE);
        await(waiting, 1);
        exporter.gate().close();
        assertThat(exporter.gate().awaitEmpty(Duration.ofMillis(20))).isFalse();
        Thread.ofVirtual().start(waiting.getFirst());
        assertThat(exporter.gate().awaitEmpty(Duration.ofSeconds(-1))).isTrue();
        assertThat(running.join()).isEqualTo("later");
        // The client sends the call again until its deadline.
        assertThatExceptionOfType(RdmaUnavailableException.class)
                .isThrownBy(() -> clock.now("UTC"))
                .withMessageContaining("the server is stopping");
        exporter.gate().open();
        CompletableFuture<String> again = clock.later(CompletableFutureKind.DONE);
        await(waiting, 2);
        waiting.get(1).run();
        assertThat(again.join()).isEqualTo("later");
    }

    @Test
    void whenTwoBeansImplementAServiceThenTheFailureNamesThem() {
        beans.registerBeanDefinition("wallClock", new RootBeanDefinition(ClockBean.class));
        beans.registerBeanDefinition("towerClock", new RootBeanDefinition(ClockBean.class));
        assertThatExceptionOfType(RdmaInvalidServiceException.class)
                .isThrownBy(() -> exporter(1, workers).export(beans))
                .withMessageContaining(
                        "'wallClock' and 'towerClock' all implement the service " + Clock.class.getName())
                .withMessageContaining("@Primary");
    }

    @Test
    void whenOneOfTwoBeansIsPrimaryThenItIsExported() {
        RootBeanDefinition primary = new RootBeanDefinition(ClockBean.class);
        primary.setPrimary(true);
        beans.registerBeanDefinition("wallClock", new RootBeanDefinition(ClockBean.class));
        beans.registerBeanDefinition("towerClock", primary);
        assertThat(exporter(1, workers).export(beans)).hasSize(1);
        assertThat(beans.containsSingleton("towerClock")).isTrue();
        assertThat(beans.containsSingleton("wallClock")).isFalse();
    }

    @RdmaService(name = "clock")
    interface OtherClock {
        void tick();
    }

    static class OtherClockBean implements OtherClock {
        @Override
        public void tick() {}
    }

    @Test
    void whenTwoInterfacesHaveOneNameThenTheyAreRejected() {
        beans.registerBeanDefinition("a", new RootBeanDefinition(ClockBean.class));
        beans.registerBeanDefinition("b", new RootBeanDefinition(OtherClockBean.class));
        assertThatExceptionOfType(RdmaInvalidServiceException.class)
                .isThrownBy(() -> exporter(1, workers).export(beans))
                .withMessageContaining("the same service name clock")
                .withMessageContaining("'a' and 'b'");
    }

    @RdmaService
    static class OnClass {}

    @Test
    void whenTheAnnotationIsOnAClassThenItIsRejected() {
        beans.registerBeanDefinition("onClass", new RootBeanDefinition(OnClass.class));
        assertThatExceptionOfType(RdmaInvalidServiceException.class)
                .isThrownBy(() -> exporter(1, workers).export(beans))
                .withMessageContaining("bean 'onClass'")
                .withMessageContaining("Annotate the interface");
    }

    @Test
    void shouldNotExportClients() {
        Clock client = new RdmaServiceProxyFactory(codecs, CallObserver.NONE, Runnable::run)
                .create(Clock.class, new RdmaTarget("t", "a", loopback, Duration.ofSeconds(1)));
        beans.registerSingleton("handMadeClient", client);
        beans.registerSingleton("rdmaClient#default#" + Clock.class.getName(), new ClockBean());
        assertThat(exporter(1, workers).export(beans)).isEmpty();
    }

    @RdmaService(name = "second")
    interface Second {
        void two();
    }

    static class Both extends ClockBean implements Second {
        @Override
        public void two() {}
    }

    @Test
    void whenABeanImplementsTwoServicesThenBothAreExported() {
        beans.registerSingleton("both", new Both());
        assertThat(exporter(1, workers).export(beans))
                .extracting(export -> export.contract().name())
                .containsExactlyInAnyOrder("clock", "second");
    }
}
