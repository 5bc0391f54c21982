package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.RpcCall;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("A thread that runs the engines alongside polling threads")
@Timeout(120)
class EngineInvokerTest {

    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    private final Set<Thread> callbackThreads = ConcurrentHashMap.newKeySet();
    private final AtomicInteger ends = new AtomicInteger();
    private RdmaRuntime server;
    private RdmaRuntime client;
    private RpcSession session;

    @BeforeEach
    void connect() {
        server = Runtimes.open();
        client = Runtimes.open();
        server.export(Echo.export(Executors.newVirtualThreadPerTaskExecutor()));
        RpcServer listening = Runtimes.listen(server);
        session = Runtimes.channel(client, listening).session(Runtimes.LONG);
    }

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    private RpcCall prepare() {
        return session.prepareCall(ended -> {
            callbackThreads.add(Thread.currentThread());
            ends.incrementAndGet();
        });
    }

    private static void start(RpcCall call, int number) {
        MessageBuffer request = call.request(4);
        request.segment().set(ValueLayout.JAVA_INT, 0, number);
        request.length(4);
        call.start(Echo.INLINE_ECHO.id(), MINUTE);
    }

    private void invokeUntilEnded(EngineInvoker invoker, int count) {
        while (ends.get() < count) {
            invoker.invoke();
        }
    }

    private void callsWork() {
        int before = ends.get();
        try (RpcCall call = prepare()) {
            start(call, 1);
            Runtimes.await("the polling thread to receive the response", () -> ends.get() > before);
        }
    }

    @Test
    @DisplayName("makes calls and receives all their responses itself")
    void shouldReceiveAllResponsesItself() {
        try (EngineInvoker invoker = client.invoker(Runtimes.LONG);
                RpcCall call = prepare()) {
            for (int i = 0; i < 1000; i++) {
                start(call, i);
                invokeUntilEnded(invoker, i + 1);
                assertThat(call.response()
                                .memory()
                                .get(ValueLayout.JAVA_INT, call.response().offset()))
                        .isEqualTo(i);
                call.release();
            }
        }

        assertThat(callbackThreads).containsExactly(Thread.currentThread());
        assertThat(client.statistics().callsFailed()).isZero();
    }

    @Test
    @DisplayName("leaves them to the polling thread when it closes the invoker")
    void whenItClosesTheInvokerThenThePollingThreadContinues() {
        EngineInvoker invoker = client.invoker(Runtimes.LONG);
        invoker.invoke();
        invoker.close();
        invoker.close();

        callsWork();
        assertThat(callbackThreads).extracting(Thread::getName).allMatch(name -> name.startsWith("rdma-poll-"));
        assertThatIllegalStateException().isThrownBy(invoker::invoke).withMessageContaining("closed");
    }

    @Test
    @DisplayName("keeps them if another thread tries to close the invoker, which is rejected")
    void whenAnotherThreadClosesTheInvokerThenThatIsRejected() throws Exception {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        try (EngineInvoker invoker = client.invoker(Runtimes.LONG)) {
            Thread other = Thread.ofPlatform().unstarted(invoker::close);
            other.setUncaughtExceptionHandler((thread, e) -> failure.set(e));
            other.start();
            other.join();

            assertThat(failure.get())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("which opened this invoker, may close it");
            invoker.invoke();
        }
    }

    @Test
    @DisplayName("that ends without closing the invoker also leaves them to the polling thread")
    void whenItsThreadEndsThenThePollingThreadContinues() throws Exception {
        Thread forgetful = Thread.ofPlatform().start(() -> {
            EngineInvoker invoker = client.invoker(Runtimes.LONG);
            invoker.invoke();
        });
        forgetful.join();

        callsWork();
    }

    @Test
    @DisplayName("runs the engines for calls of other threads as well")
    void whenAnotherThreadCallsThenItGetsAResponse() throws Exception {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        try (EngineInvoker invoker = client.invoker(Runtimes.LONG)) {
            Thread other = Thread.ofPlatform()
                    .uncaughtExceptionHandler((_, e) -> failure.set(e))
                    .start(() -> Runtimes.echo(session, 100));
            while (other.isAlive()) {
                invoker.invoke();
            }
        }
        assertThat(failure).hasValue(null);
    }

    @Test
    @DisplayName("cannot wait for a call meanwhile, because it would wait for itself")
    void whenItWaitsForACallThenThatIsRejected() {
        try (EngineInvoker invoker = client.invoker(Runtimes.LONG);
                RpcCall call = prepare()) {
            invoker.invoke();
            call.request(4).length(4);

            assertThatIllegalStateException()
                    .isThrownBy(() -> call.call(Echo.INLINE_ECHO.id(), MINUTE))
                    .withMessageContaining("may not wait");
        }
        callsWork();
    }

    @Test
    @DisplayName("cannot acquire them twice, and another thread waits for them in vain")
    void whenTheyAreAcquiredThenNoOtherThreadGetsThem() throws Exception {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        try (EngineInvoker invoker = client.invoker(Runtimes.LONG)) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> client.invoker(Runtimes.LONG))
                    .withMessageContaining("already");
            Thread other = Thread.ofPlatform().start(() -> {
                try {
                    client.invoker(Duration.ofMillis(20)).close();
                } catch (RuntimeException e) {
                    failure.set(e);
                }
            });
            other.join();
            invoker.invoke();
        }

        assertThat(failure.get()).isInstanceOf(RdmaTimeoutException.class).hasMessageContaining("PT0.02S");
        callsWork();
    }

    @Test
    @DisplayName("gets an error from its next invocation after the runtime was stopped")
    void whenTheRuntimeStopsThenTheNextInvocationFails() throws Exception {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        AtomicInteger invoked = new AtomicInteger();
        Thread invoking = Thread.ofPlatform().start(() -> {
            try (EngineInvoker invoker = client.invoker(Runtimes.LONG)) {
                while (true) {
                    invoker.invoke();
                    invoked.incrementAndGet();
                }
            } catch (IllegalStateException e) {
                failure.set(e);
            }
        });
        Runtimes.await("the thread to run them", () -> invoked.get() > 0);
        client.stop(Duration.ZERO);
        invoking.join();

        assertThat(failure.get()).hasMessageContaining("stopped");
        assertThatExceptionOfType(RdmaTimeoutException.class)
                .isThrownBy(() -> client.invoker(Duration.ofMillis(1)))
                .withMessageContaining("stopped");
        client.start();
        client.invoker(Runtimes.LONG).close();
    }

    @Test
    @DisplayName("cannot run them while it is interrupted, because its next access to a file would close the file")
    void whenItIsInterruptedThenItCannotInvoke() {
        try (EngineInvoker invoker = client.invoker(Runtimes.LONG)) {
            Thread.currentThread().interrupt();
            assertThatIllegalStateException().isThrownBy(invoker::invoke).withMessageContaining("interrupted");
            assertThat(Thread.interrupted()).isTrue();
        }
        callsWork();
    }

    @Test
    @DisplayName("cannot be a virtual thread, or another thread than the one that opened the invoker")
    void whenAnotherThreadInvokesThenItIsRejected() throws Exception {
        AtomicReference<Throwable> virtual = new AtomicReference<>();
        AtomicReference<Throwable> other = new AtomicReference<>();
        try (EngineInvoker invoker = client.invoker(Runtimes.LONG)) {
            Thread.ofVirtual()
                    .uncaughtExceptionHandler((_, e) -> virtual.set(e))
                    .start(() -> client.invoker(Runtimes.LONG))
                    .join();
            Thread.ofPlatform()
                    .uncaughtExceptionHandler((_, e) -> other.set(e))
                    .start(invoker::invoke)
                    .join();
        }
        assertThat(virtual.get()).hasMessageContaining("virtual");
        assertThat(other.get()).hasMessageContaining("may run its engines");
    }

    @Test
    @DisplayName("can be one of several that run an engine each and make calls on it")
    void whenThreadsRunOneEngineEachThenTheyShareNothing() {
        int engines = 3;
        try (RdmaRuntime caller = RdmaRuntime.open(
                        Runtimes.nic(), Runtimes.PATIENT, PollingConfig.DEFAULTS.withThreads(engines));
                RpcServer listening = Runtimes.listen(server)) {
            RpcChannel channel = Runtimes.channel(caller, listening);
            channel.session(Runtimes.LONG);
            List<RpcSession> sessions = channel.perEngine().stream()
                    .map(each -> each.session(Runtimes.LONG))
                    .toList();
            Runtimes.inParallel(engines, engine -> {
                AtomicInteger ended = new AtomicInteger();
                Thread own = Thread.currentThread();
                try (EngineInvoker invoker = caller.invoker(engine, Runtimes.LONG);
                        RpcCall call = sessions.get(engine).prepareCall(_ -> {
                            assertThat(Thread.currentThread()).isSameAs(own);
                            ended.incrementAndGet();
                        })) {
                    assertThat(PollingThread.currentEngine()).isEqualTo(engine);
                    for (int i = 1; i <= 100; i++) {
                        start(call, i);
                        while (ended.get() < i) {
                            invoker.invoke();
                        }
                        assertThat(call.response().length()).isEqualTo(4);
                        call.release();
                    }
                }
                assertThat(PollingThread.currentEngine()).isEqualTo(-1);
            });
            assertThat(caller.engineSnapshots())
                    .allSatisfy(
                            each -> assertThat(each.engine().callsCompleted()).isEqualTo(100));
        }
    }

    @Test
    @DisplayName("can run one engine while polling threads run the others, but not two with an invoker each")
    void whenAThreadRunsOneEngineThenItCannotRunASecondOne() {
        try (RdmaRuntime caller =
                RdmaRuntime.open(Runtimes.nic(), Runtimes.PATIENT, PollingConfig.DEFAULTS.withThreads(2))) {
            try (EngineInvoker invoker = caller.invoker(1, Runtimes.LONG)) {
                invoker.invoke();
                assertThatIllegalStateException()
                        .isThrownBy(() -> caller.invoker(0, Runtimes.LONG))
                        .withMessageContaining("runs engines already");
                assertThatExceptionOfType(IndexOutOfBoundsException.class)
                        .isThrownBy(() -> caller.invoker(2, Runtimes.LONG));
            }
            caller.invoker(0, Runtimes.LONG).close();
        }
    }
}
