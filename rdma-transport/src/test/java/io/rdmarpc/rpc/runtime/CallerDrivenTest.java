package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.concurrent.LoopOwnership;
import io.rdmarpc.concurrent.Uninterrupted;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.AwaitedResponseHandler;
import io.rdmarpc.rpc.BytesHandler;
import io.rdmarpc.rpc.RpcCall;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServedCall;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.message.MessageView;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("A caller that waits")
@Timeout(120)
class CallerDrivenTest {

    private static final int ECHO = 1;
    private static final int HOLD = 2;
    private static final int NESTED = 3;
    private static final int BUSY = 4;
    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    private final ConcurrentLinkedQueue<RpcRequest> held = new ConcurrentLinkedQueue<>();
    private final Set<Thread> callbackThreads = ConcurrentHashMap.newKeySet();
    private final AtomicReference<RpcCall> nested = new AtomicReference<>();
    private RdmaRuntime server;
    private RdmaRuntime client;
    private RpcServer listening;
    private RpcChannel channel;
    private RpcSession session;

    @BeforeEach
    void connect() {
        server = Runtimes.open();
        client = Runtimes.open();
        server.export(service());
        listening = Runtimes.listen(server);
        channel = Runtimes.channel(client, listening);
        session = channel.session(Runtimes.LONG);
    }

    @AfterEach
    void close() {
        held.forEach(request -> {
            try {
                request.fail(RpcStatus.CANCELLED, "", "the test has ended");
            } catch (IllegalStateException e) {
                // It has a response already.
            }
        });
        client.close();
        server.close();
    }

    private ServiceExport service() {
        List<ServiceContract.Method> methods = List.of(
                new ServiceContract.Method(ECHO, "echo"),
                new ServiceContract.Method(HOLD, "hold"),
                new ServiceContract.Method(NESTED, "nested"),
                new ServiceContract.Method(BUSY, "busy"));
        return new ServiceExport(
                new ServiceContract("bytes", methods, List.of()),
                List.of(
                        new ServiceExport.Method(ECHO, (BytesHandler) CallerDrivenTest::echo, null),
                        new ServiceExport.Method(HOLD, (BytesHandler) call -> held.add(call.defer()), null),
                        new ServiceExport.Method(
                                NESTED,
                                (BytesHandler) call -> {
                                    number(nested.get(), ECHO, 1);
                                    echo(call);
                                },
                                null),
                        new ServiceExport.Method(
                                BUSY,
                                CallerDrivenTest::compute,
                                task -> Thread.ofVirtual().start(task))));
    }

    /** Some of its calls occupy a carrier for longer than the loop may stop. */
    private static void compute(RpcRequest request) {
        int number = request.message().payload().get(ValueLayout.JAVA_INT, 0);
        long end = System.nanoTime() + (number % 50 == 0 ? 3_000_000 : 0);
        while (System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
        MessageBuffer response = request.allocate(4);
        response.segment().set(ValueLayout.JAVA_INT, 0, number);
        response.length(4);
        request.respond(response);
    }

    private static void echo(ServedCall call) {
        MessageBuffer response = call.response(call.length());
        MemorySegment.copy(call.memory(), call.offset(), response.segment(), 0, call.length());
        response.length(call.length());
        call.respond();
    }

    private RpcCall prepare() {
        return session.prepareCall(ended -> callbackThreads.add(Thread.currentThread()));
    }

    /** Calls, waits, and returns the number in the response. */
    private static int number(RpcCall call, int method, int number) {
        return number(call, method, number, MINUTE);
    }

    private static int number(RpcCall call, int method, int number, long timeoutNanos) {
        MessageBuffer request = call.request(4);
        request.segment().set(ValueLayout.JAVA_INT, 0, number);
        request.length(4);
        MessageView response = call.call(method, timeoutNanos);
        return response.memory().get(ValueLayout.JAVA_INT_UNALIGNED, response.offset());
    }

    /** A call whose caller waits for its own handler, as callers of proxies do. */
    private final class Awaited implements AwaitedResponseHandler {

        private final Thread caller = Thread.currentThread();
        private volatile int number = -1;

        @Override
        public void onResponse(InboundMessage response) {
            callbackThreads.add(Thread.currentThread());
            try (response) {
                number = response.payload().get(ValueLayout.JAVA_INT_UNALIGNED, 0);
            }
            LockSupport.unpark(caller);
        }

        @Override
        public void onFailure(RdmaRpcException failure) {
            throw new AssertionError(failure);
        }

        @Override
        public boolean hasEnded() {
            return number >= 0;
        }
    }

    private void callAwaited(int count) {
        for (int i = 0; i < count; i++) {
            Awaited call = new Awaited();
            MessageBuffer request = session.allocate(4);
            request.segment().set(ValueLayout.JAVA_INT, 0, i);
            request.length(4);
            session.callAndWait(ECHO, request, System.nanoTime(), MINUTE, call);
            while (!call.hasEnded()) {
                LockSupport.parkNanos(1_000_000);
            }
            assertThat(call.number).isEqualTo(i);
        }
    }

    @Test
    @DisplayName("for its own handler also runs the loop itself")
    void whenItWaitsForAHandlerThenItRunsTheLoop() {
        callAwaited(1000);

        assertThat(callbackThreads).contains(Thread.currentThread());
        assertThat(client.statistics().callsFailed()).isZero();
    }

    @Test
    @DisplayName("for its own handler leaves the loop alone if methods are served, which would run on its thread")
    void whenMethodsAreServedThenAHandlersCallerDoesNotRunTheLoop() {
        client.export(service());
        callAwaited(200);

        assertThat(callbackThreads).isNotEmpty().doesNotContain(Thread.currentThread());
    }

    @Test
    @DisplayName("for its own handler, in the callback of another call, does not run the loop that it is on")
    void whenItWaitsOnThePollingThreadThenTheCallIsStillMade() {
        AtomicReference<Awaited> inner = new AtomicReference<>();
        RpcCall outer = session.prepareCall(ended -> {
            Awaited call = new Awaited();
            MessageBuffer request = session.allocate(4);
            request.segment().set(ValueLayout.JAVA_INT, 0, 5);
            request.length(4);
            session.callAndWait(ECHO, request, System.nanoTime(), MINUTE, call);
            inner.set(call);
        });
        outer.request(4).length(4);
        outer.start(ECHO, MINUTE);

        Runtimes.await(
                "the inner call", () -> inner.get() != null && inner.get().hasEnded());
        outer.close();
    }

    @Test
    @DisplayName("runs the loop itself: its own thread receives the responses")
    void whenItWaitsThenItRunsTheLoop() {
        try (RpcCall call = prepare()) {
            for (int i = 0; i < 1000; i++) {
                assertThat(number(call, ECHO, i)).isEqualTo(i);
            }
        }

        assertThat(callbackThreads).contains(Thread.currentThread());
    }

    @Test
    @DisplayName("on a virtual thread only waits, because the engine has a virtual thread for the loop")
    void whenItIsVirtualThenTheEnginesVirtualThreadRunsTheLoop() throws Exception {
        Thread virtual = Thread.ofVirtual().start(this::callManyTimes);
        virtual.join();

        assertThat(callbackThreads).doesNotContain(virtual).anyMatch(Thread::isVirtual);
        assertThat(callbackThreads).extracting(Thread::getName).allMatch(name -> name.startsWith("rdma-poll-"));
    }

    private void callManyTimes() {
        callManyTimes(ECHO);
    }

    private void callManyTimes(int method) {
        try (RpcCall call = prepare()) {
            for (int i = 0; i < 500; i++) {
                assertThat(number(call, method, i)).isEqualTo(i);
            }
        }
    }

    @Test
    @DisplayName(
            "gets its response alongside callers on other kinds of threads, while virtual threads compute for long")
    void whenBothKindsOfThreadsCallThenAllGetResponses() throws Exception {
        ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
        List<Thread> callers = IntStream.range(0, 12)
                .mapToObj(i -> (i % 3 == 0 ? Thread.ofPlatform().daemon() : Thread.ofVirtual())
                        .uncaughtExceptionHandler((_, failure) -> failures.add(failure))
                        .start(() -> callManyTimes(BUSY)))
                .toList();
        for (Thread caller : callers) {
            caller.join();
        }

        assertThat(failures).isEmpty();
    }

    @Test
    @DisplayName("is served by the polling thread while virtual threads compute on all carriers")
    void whenNoCarrierIsFreeThenThePollingThreadRunsTheLoop() throws Exception {
        Thread.ofVirtual().start(this::callManyTimes).join();
        AtomicBoolean over = new AtomicBoolean();
        List<Thread> computing = IntStream.range(0, 4 * Runtime.getRuntime().availableProcessors())
                .mapToObj(_ -> Thread.ofVirtual().start(() -> {
                    while (!over.get()) {
                        Thread.onSpinWait();
                    }
                }))
                .toList();
        try {
            callManyTimes();
        } finally {
            over.set(true);
        }
        for (Thread thread : computing) {
            thread.join();
        }
    }

    @Test
    @DisplayName("on a virtual thread gets a failure if the engine is stuck and cannot end its call")
    void whenTheEngineIsStuckThenAVirtualCallersWaitEnds() throws Exception {
        CountDownLatch stuck = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        try (RpcCall blocking = session.prepareCall(_ -> {
            stuck.countDown();
            boolean _ = Uninterrupted.await(Runtimes.LONG, nanos -> over.await(nanos, TimeUnit.NANOSECONDS));
        })) {
            blocking.request(4).length(4);
            blocking.start(ECHO, MINUTE);
            stuck.await();
            Thread.ofVirtual()
                    .uncaughtExceptionHandler((_, e) -> failure.set(e))
                    .start(() -> callOnce(Duration.ofMillis(50)))
                    .join();
            over.countDown();
        }

        assertThat(failure.get()).isInstanceOf(RdmaTimeoutException.class).hasMessageContaining("blocked");
    }

    private void callOnce(Duration limit) {
        try (RpcCall call = prepare()) {
            int _ = number(call, ECHO, 1, limit.toNanos());
        }
    }

    @Test
    @DisplayName("leaves the loop to the polling thread if its call takes long")
    void whenTheCallTakesLongThenThePollingThreadRunsTheLoop() {
        Thread.ofPlatform().daemon().start(() -> {
            Runtimes.await("the call", () -> !held.isEmpty());
            Runtimes.await("the caller to leave the loop", this::isLeftToThePollingThread);
            RpcRequest request = held.poll();
            MessageBuffer response = request.allocate(4);
            response.segment().set(ValueLayout.JAVA_INT, 0, 5);
            response.length(4);
            request.respond(response);
        });
        try (RpcCall call = prepare()) {
            assertThat(number(call, HOLD, 1)).isEqualTo(5);
        }

        // The callback runs after the caller was woken.
        Runtimes.await("the callback of the call", () -> !callbackThreads.isEmpty());
        assertThat(callbackThreads).extracting(Thread::getName).allMatch(name -> name.startsWith("rdma-poll-"));
    }

    @Test
    @DisplayName("after a pause leaves the polling thread asleep, which packets and commands wake afterwards")
    void whenItCallsAfterAPauseThenThePollingThreadIsLeftAsleep() throws InterruptedException {
        LoopOwnership ownership = client.engines().getFirst().loop().ownership();
        AtomicBoolean leftAsleep = new AtomicBoolean();
        CountDownLatch ends = new CountDownLatch(20);
        try (RpcCall call = session.prepareCall(_ -> leftAsleep.compareAndSet(false, ownership.hasLeftAsleep()));
                RpcCall later = session.prepareCall(_ -> ends.countDown())) {
            while (ends.getCount() > 0) {
                long left = ends.getCount();
                leftAsleep.set(false);
                Runtimes.await("a call that leaves the polling thread asleep", () -> {
                    LockSupport.parkNanos(20_000_000);
                    return number(call, ECHO, 1) == 1 && leftAsleep.get();
                });
                assertThat(ownership.hasLeftAsleep()).isFalse();
                later.request(4).length(4);
                later.start(ECHO, MINUTE);
                Runtimes.await("the response of a call without a waiting thread", () -> ends.getCount() < left);
                later.release();
            }
        }
        assertThat(client.statistics().callsFailed()).isZero();
    }

    private boolean isLeftToThePollingThread() {
        LoopOwnership ownership = client.engines().getFirst().loop().ownership();
        return ownership.isOwnedByDefault() || !ownership.isOwned();
    }

    @Test
    @DisplayName("gets its own response among many callers on virtual and platform threads")
    void whenManyCallThenEachGetsItsResponse() {
        Runtimes.inParallel(8, number -> {
            Runnable calls = () -> {
                try (RpcCall call = prepare()) {
                    for (int i = 0; i < 200; i++) {
                        int sent = number << 16 | i;
                        if (number(call, ECHO, sent) != sent) {
                            throw new AssertionError("the response of another caller");
                        }
                        if (i % 97 == 0) {
                            Thread.sleep(0, 200_000);
                        }
                    }
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            };
            if (number % 2 == 0) {
                calls.run();
            } else {
                AtomicReference<Throwable> failure = new AtomicReference<>();
                Thread.ofVirtual()
                        .uncaughtExceptionHandler((thread, e) -> failure.set(e))
                        .start(calls)
                        .join();
                assertThat(failure.get()).isNull();
            }
        });
        assertThat(client.statistics().callsFailed()).isZero();
    }

    @Test
    @DisplayName("in a handler on the polling thread is rejected, because it would wait for itself")
    void whenItIsAHandlerOnThePollingThreadThenItIsRejected() {
        try (RpcChannel back = Runtimes.channel(server, listening);
                RpcCall inner = back.session(Runtimes.LONG).prepareCall(RpcCall.End.NONE);
                RpcCall call = prepare()) {
            nested.set(inner);

            assertThatExceptionOfType(RdmaRemoteException.class)
                    .isThrownBy(() -> number(call, NESTED, 1))
                    .withMessageContaining("may not wait");
            assertThat(number(call, ECHO, 2)).as("the server continues").isEqualTo(2);
        }
    }

    @Test
    @DisplayName("may start calls from the callback of another one, without waiting")
    void whenACallbackStartsAnotherCallThenThatEndsToo() {
        CountDownLatch ends = new CountDownLatch(100);
        RpcCall chained = session.prepareCall(ended -> {
            ends.countDown();
            if (ends.getCount() > 0) {
                ended.request(4).length(4);
                ended.start(ECHO, MINUTE);
            }
        });
        chained.request(4).length(4);
        chained.start(ECHO, MINUTE);
        try (RpcCall call = prepare()) {
            number(call, ECHO, 1);
        }

        // No caller runs the loop now, so the polling thread must run it again.
        Runtimes.await("all calls to end", () -> ends.getCount() == 0);
        chained.close();
    }

    @Test
    @DisplayName("whose callback throws still gets its response")
    void whenTheCallbackThrowsThenTheCallHasItsResponse() {
        try (RpcCall call = session.prepareCall(ended -> {
            throw new IllegalStateException("on purpose");
        })) {
            assertThat(number(call, ECHO, 7)).isEqualTo(7);
            assertThat(number(call, ECHO, 8)).isEqualTo(8);
        }
    }

    @Test
    @DisplayName("gets a timeout at the deadline of its call")
    void whenTheDeadlinePassesThenItGetsATimeout() {
        try (RpcCall call = prepare()) {
            assertThatExceptionOfType(RdmaTimeoutException.class)
                    .isThrownBy(
                            () -> number(call, HOLD, 1, Duration.ofMillis(50).toNanos()));
            assertThat(number(call, ECHO, 3)).isEqualTo(3);
        }
    }

    @Test
    @DisplayName("stops waiting when it is interrupted, and another thread runs the loop")
    void whenInterruptedThenItStopsWaiting() {
        AtomicReference<RpcStatus> status = new AtomicReference<>();
        AtomicBoolean interrupted = new AtomicBoolean();
        Thread caller = Thread.ofPlatform().start(() -> {
            try (RpcCall call = prepare()) {
                number(call, HOLD, 1);
            } catch (RdmaRpcException e) {
                status.set(e.status());
                interrupted.set(Thread.currentThread().isInterrupted());
            }
        });
        Runtimes.await("the call", () -> !held.isEmpty());
        caller.interrupt();
        Runtimes.await("the caller", () -> !caller.isAlive());

        assertThat(status.get()).isEqualTo(RpcStatus.CANCELLED);
        assertThat(interrupted).isTrue();
        try (RpcCall call = prepare()) {
            assertThat(number(call, ECHO, 3)).isEqualTo(3);
        }
    }

    @Test
    @DisplayName("gets a failure when the runtime is stopped during its call, as do all others")
    void whenTheRuntimeStopsThenAllEnd() {
        ConcurrentLinkedQueue<Throwable> ends = new ConcurrentLinkedQueue<>();
        Thread[] callers = new Thread[6];
        for (int i = 0; i < callers.length; i++) {
            boolean holding = i % 2 == 0;
            callers[i] = Thread.ofPlatform().start(() -> {
                try (RpcCall call = prepare()) {
                    for (int n = 0; ; n++) {
                        number(call, holding ? HOLD : ECHO, n);
                    }
                } catch (Throwable e) {
                    ends.add(e);
                }
            });
        }
        Runtimes.await("calls that are held", () -> held.size() >= 3);
        client.stop(Duration.ZERO);
        for (Thread caller : callers) {
            Runtimes.await("the callers", () -> !caller.isAlive());
        }

        assertThat(ends).hasSize(callers.length).allMatch(RdmaUnavailableException.class::isInstance);
    }

    @Test
    @DisplayName("can use the runtime again after it was stopped and started")
    void whenTheRuntimeStartsAgainThenCallsWork() {
        try (RpcCall call = prepare()) {
            number(call, ECHO, 1);
        }
        client.stop(Duration.ZERO);
        client.start();
        session = channel.session(Runtimes.LONG);

        try (RpcCall call = prepare()) {
            assertThat(number(call, ECHO, 2)).isEqualTo(2);
        }
    }
}
