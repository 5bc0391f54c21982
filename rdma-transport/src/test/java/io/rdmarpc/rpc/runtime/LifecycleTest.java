package io.rdmarpc.rpc.runtime;

import static io.rdmarpc.rpc.runtime.Runtimes.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.error.RdmaNotExecutedException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.wire.ControlMessage;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import io.rdmarpc.verbs.ffi.NativeAccess;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Starting, stopping and reconnecting. */
@Timeout(120)
class LifecycleTest {

    private ExecutorService executor;
    private final AtomicLong executed = new AtomicLong();
    private RdmaRuntime serving;
    private RdmaRuntime calling;
    private RpcServer server;
    private RpcChannel channel;

    @BeforeEach
    void open() {
        executor = Executors.newVirtualThreadPerTaskExecutor();
        serving = Runtimes.open();
        calling = Runtimes.open();
        executed.set(0);
        serving.export(Echo.export(task -> {
            executed.incrementAndGet();
            executor.execute(task);
        }));
        server = listenAgain(Runtimes.stablePort());
        channel = Runtimes.channel(calling, server);
    }

    @AfterEach
    void close() {
        calling.close();
        serving.close();
        executor.close();
        assertThat(calling.registeredBytes()).isZero();
        assertThat(serving.registeredBytes()).isZero();
        Runtimes.await("the threads to end", () -> Runtimes.threads().isEmpty());
    }

    private RpcServer listenAgain(int port) {
        return serving.listen(new InetSocketAddress(Runtimes.LOOPBACK, port));
    }

    private List<CompletableFuture<byte[]>> slowCalls(int count) {
        RpcSession session = channel.session(LONG);
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            calls.add(Echo.call(session, Echo.SLOW.id(), Echo.payload(i % 2 == 0 ? 10 : 20_000, i), LONG));
        }
        return calls;
    }

    private static void expectUnavailable(CompletableFuture<byte[]> call) {
        assertThatExceptionOfType(RdmaUnavailableException.class).isThrownBy(() -> Runtimes.get(call));
    }

    @Test
    @DisplayName("FL-02 a server that closes and is restarted: the same channel works again")
    void whenTheServerIsRestartedThenTheChannelReconnects() {
        int port = server.address().getPort();
        for (int round = 0; round < 3; round++) {
            RpcSession session = channel.session(LONG);
            Runtimes.echo(session, 10);
            Runtimes.echo(session, 10_000);
            server.close();
            Runtimes.await("the session to end", () -> !session.isOpen());
            expectUnavailable(Echo.call(session, Echo.ECHO.id(), new byte[0], LONG));
            server = listenAgain(port);
        }
        Runtimes.echo(channel.session(LONG), 10_000);
    }

    @Test
    @DisplayName("CP-12 a port is free at once after its server was closed")
    void whenAServerWasClosedThenItsPortIsFree() {
        int port = server.address().getPort();
        for (int i = 0; i < 200; i++) {
            server.close();
            server = listenAgain(port);
        }
    }

    @Test
    @DisplayName("LT-12 a server runtime that is stopped and started: its services are still exported")
    void whenTheServersRuntimeIsStartedAgainThenItServes() {
        int port = server.address().getPort();
        RpcSession session = channel.session(LONG);
        Runtimes.echo(session, 10_000);

        serving.stop(Duration.ZERO);
        assertThat(serving.isRunning()).isFalse();
        Runtimes.await("the session to end", () -> !session.isOpen());
        assertThatIllegalStateException().isThrownBy(() -> listenAgain(port));
        serving.start();
        server = listenAgain(port);

        Runtimes.echo(channel.session(LONG), 10);
        Runtimes.echo(channel.session(LONG), 10_000);
    }

    @Test
    @DisplayName("LT-12 a client runtime that is stopped and started: its channels reconnect")
    void whenTheClientsRuntimeIsStartedAgainThenItsChannelsWork() {
        for (int round = 0; round < 5; round++) {
            RpcSession session = channel.session(LONG);
            Runtimes.echo(session, 10);
            Runtimes.echo(session, 10_000);
            calling.stop(Duration.ZERO);
            assertThat(session.isOpen()).isFalse();
            assertThatExceptionOfType(RdmaUnavailableException.class)
                    .isThrownBy(() -> channel.session(Duration.ofMillis(50)))
                    .withMessageContaining("the RDMA runtime of this process is not running");
            calling.start();
        }
        Runtimes.echo(channel.session(LONG), 10);
        assertThat(calling.statistics().clientSessions()).isOne();
        Runtimes.await(
                "the server to remove the session", () -> serving.statistics().serverSessions() == 1);
    }

    @Test
    @DisplayName("FL-03 CP-14 calls in flight fail when the server sends GOODBYE")
    void whenTheServerClosesThenCallsInFlightFail() {
        List<CompletableFuture<byte[]>> calls = slowCalls(40);

        server.close();

        calls.forEach(LifecycleTest::expectUnavailable);
        assertThat(channel.isConnected()).isFalse();
    }

    @Test
    @DisplayName("FL-03 CP-14 calls in flight fail when the client's runtime stops")
    void whenTheClientStopsThenItsCallsFail() {
        List<CompletableFuture<byte[]>> calls = slowCalls(40);

        calling.stop(Duration.ZERO);

        assertThat(calls).as("when stop returns").allMatch(CompletableFuture::isDone);
        calls.forEach(LifecycleTest::expectUnavailable);
    }

    @Test
    @DisplayName("FL-03 callers that continue to call while the runtime stops all get a result")
    void whenCallersContinueWhileTheRuntimeStopsThenEachGetsAResult() {
        RpcSession session = channel.session(LONG);
        CompletableFuture<Void> stop = new CompletableFuture<>();
        Runtimes.inParallel(17, number -> {
            if (number == 16) {
                Thread.sleep(100);
                calling.stop(Duration.ZERO);
                stop.complete(null);
                return;
            }
            int size = number % 2 == 0 ? 100 : 6_000;
            while (!stop.isDone()) {
                try {
                    Runtimes.echo(session, size);
                } catch (RdmaRpcException e) {
                    assertThat(e).isInstanceOf(RdmaUnavailableException.class);
                }
            }
        });
    }

    @Test
    @DisplayName("LT-12 CP-14 a WELCOME that arrives after the runtime was stopped opens no session that hangs")
    void whenTheRuntimeStopsWhileItConnectsThenNoCallerHangs() throws Exception {
        CompletableFuture<Void> hello = new CompletableFuture<>();
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        try (ServerSocket listener = new ServerSocket(0, 1, Runtimes.LOOPBACK)) {
            Thread stranger = Thread.ofPlatform().start(() -> {
                try (PlayedPeer client = new PlayedPeer(listener.accept())) {
                    client.await(ControlMessage.Hello.class);
                    client.send(PlayedPeer.WELCOME);
                    int link = client.await(ControlMessage.Open.class).link();
                    hello.complete(null);
                    Runtimes.get(stopped);
                    client.send(PlayedPeer.opened(link, 8, PlayedPeer.ENDPOINT));
                    client.awaitClosed("the client stays");
                } catch (IOException e) {
                    // The client has disconnected.
                }
            });
            RpcChannel late = Runtimes.channel(calling, listener.getLocalPort());
            CompletableFuture<byte[]> call = CompletableFuture.supplyAsync(
                    () -> Runtimes.get(Echo.call(late.session(LONG), Echo.ECHO.id(), new byte[3], LONG)));
            Runtimes.get(hello);
            calling.stop(Duration.ZERO);
            stopped.complete(null);

            expectUnavailable(call);

            stranger.join();
            calling.start();
            Runtimes.echo(channel.session(LONG), 10);
        }
    }

    @Test
    @DisplayName("LT-12 a graceful stop waits for running calls")
    void whenTheServerStopsGracefullyThenRunningCallsGetResponses() {
        List<CompletableFuture<byte[]>> calls = slowCalls(4);
        Runtimes.await("the calls to arrive", () -> serving.statistics().requestsReceived() >= 4);

        serving.stop(LONG);

        for (int i = 0; i < calls.size(); i++) {
            byte[] payload = Echo.payload(i % 2 == 0 ? 10 : 20_000, i);
            assertThat(Echo.difference(payload, Runtimes.get(calls.get(i)))).isNull();
        }
    }

    @Test
    @DisplayName("LT-12 a graceful stop under load: running calls get responses, later ones are rejected, it ends soon")
    void whenCallersContinueThenAGracefulStopStillEnds() {
        RpcSession session = channel.session(LONG);
        CompletableFuture<Duration> stopped = new CompletableFuture<>();
        AtomicLong answered = new AtomicLong();
        Runtimes.inParallel(5, number -> {
            if (number == 4) {
                Thread.sleep(200);
                long start = System.nanoTime();
                serving.stop(LONG);
                stopped.complete(Runtimes.since(start));
                return;
            }
            while (!stopped.isDone()) {
                try {
                    Runtimes.echo(session, number % 2 == 0 ? 100 : 6_000);
                    answered.incrementAndGet();
                } catch (RdmaRpcException e) {
                    // The outcome of every call is known.
                    assertThat(e).isInstanceOf(RdmaNotExecutedException.class);
                }
            }
        });
        assertThat(answered.get()).isEqualTo(executed.get()).isPositive();
        assertThat(Runtimes.get(stopped)).isLessThan(LONG.dividedBy(2));
    }

    @Test
    @DisplayName("LT-12 a draining server runs the calls that have arrived; its successor at the port gets later ones")
    void whenAServerDrainsThenItsSuccessorGetsTheNextCalls() {
        RpcSession first = channel.session(LONG);
        List<CompletableFuture<byte[]>> slow = slowCalls(4);
        Runtimes.await("the calls to arrive", () -> serving.statistics().requestsReceived() >= 4);
        RpcServer old = server;
        CompletableFuture<Boolean> drained = CompletableFuture.supplyAsync(() -> old.drain(LONG));
        Runtimes.await("the announcement", () -> !first.takesCalls());

        server = listenAgain(old.address().getPort());
        RpcSession second = channel.session(LONG);
        assertThat(second).isNotSameAs(first);
        Runtimes.echo(second, 10_000);
        assertThat(channel.underWay()).as("calls of the old session").isEqualTo(4);
        assertThatExceptionOfType(RdmaNotExecutedException.class).isThrownBy(() -> Runtimes.echo(first, 10));

        assertThat(slow).allSatisfy(call -> assertThat(Runtimes.get(call)).isNotEmpty());
        assertThat(Runtimes.get(drained)).isTrue();
        Runtimes.await("the client to close the old session", () -> !first.isOpen());
        assertThat(old.awaitClients(Duration.ZERO)).isTrue();
        old.close();
        Runtimes.echo(second, 10);
    }

    @Test
    @DisplayName("FL-02 a channel whose runtime is closed reports that at once, without advice about the server")
    void whenTheRuntimeIsClosedThenTheChannelReportsThat() {
        channel.session(LONG);
        calling.close();
        long begun = System.nanoTime();

        assertThatExceptionOfType(RdmaNotExecutedException.class)
                .isThrownBy(() -> channel.session(LONG))
                .withMessageContaining("is closed and cannot start again")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("Check that the server runs"));
        assertThat(Runtimes.since(begun)).isLessThan(LONG.dividedBy(2));
        assertThat(calling.isClosed()).isTrue();
    }

    @Test
    @DisplayName("LT-12 calls that take longer than the grace have an unknown outcome; the stop does not wait for them")
    void whenACallTakesLongerThanTheGraceThenDrainingReportsThat() {
        CompletableFuture<byte[]> slow = slowCalls(1).getFirst();
        Runtimes.await("the call to arrive", () -> serving.statistics().requestsReceived() >= 1);

        assertThat(server.drain(Duration.ofMillis(10))).isFalse();
        server.close();

        assertThatExceptionOfType(RdmaUnavailableException.class)
                .isThrownBy(() -> Runtimes.get(slow))
                .satisfies(e -> assertThat(e).isNotInstanceOf(RdmaNotExecutedException.class))
                .withMessageContaining("may or may not have run");
    }

    @Test
    @DisplayName("ME-03 while a runtime stops, isRunning does not block")
    void whenTheRuntimeStopsThenIsRunningDoesNotBlock() {
        slowCalls(1);
        Runtimes.await("the call to arrive", () -> serving.statistics().requestsReceived() >= 1);
        CompletableFuture<Void> stop = CompletableFuture.runAsync(() -> serving.stop(LONG));
        Runtimes.await("the stop to begin", () -> !serving.isRunning());

        assertThat(stop).as("it still waits for the call").isNotDone();

        Runtimes.get(stop);
    }

    @Test
    @DisplayName("LT-12 closing in an interrupted thread still waits for the threads, and the thread stays interrupted")
    void whenTheClosingThreadIsInterruptedThenTheThreadsEndFirst() {
        slowCalls(20);
        Thread.currentThread().interrupt();
        calling.close();
        boolean interrupted = Thread.interrupted();

        assertThat(interrupted).isTrue();
        assertThat(calling.registeredBytes()).isZero();
        serving.close();
        assertThat(Runtimes.threads()).noneMatch(name -> name.startsWith("rdma-poll"));
    }

    @Test
    @DisplayName("LT-05 a response that outlives its runtime can be closed, and does not crash when it is read")
    void whenAMessageOutlivesItsRuntimeThenItCanBeClosed() {
        InboundMessage reply = responseOf(10);
        InboundMessage read = responseOf(5_000);
        calling.close();

        for (InboundMessage gone : List.of(reply, read)) {
            assertThatIllegalStateException().isThrownBy(() -> gone.payload().get(ValueLayout.JAVA_BYTE, 0));
            gone.close();
        }
        assertThat(calling.statistics().drops()).containsEntry("internal", 0L);
    }

    @Test
    @DisplayName("LT-05 a large response of this host that outlives both runtimes can be read until it is closed")
    void whenALargeMessageOutlivesItsRuntimesThenItCanBeRead() {
        assumeTrue(NativeAccess.isGranted(), "without it large responses are READ");
        responseOf(100_000).close();
        InboundMessage seen = responseOf(100_000);
        calling.close();
        serving.close();

        assertThat(seen.payload().toArray(ValueLayout.JAVA_BYTE)).containsOnly(7);
        seen.close();
        assertThatIllegalStateException().isThrownBy(() -> seen.payload().get(ValueLayout.JAVA_BYTE, 0));
    }

    private InboundMessage responseOf(int size) {
        CompletableFuture<InboundMessage> reply = new CompletableFuture<>();
        RpcSession session = channel.session(LONG);
        MessageBuffer request = session.allocate(size);
        request.segment().fill((byte) 7);
        request.length(size);
        session.call(Echo.ECHO.id(), request, LONG.toNanos(), new ResponseHandler() {
            @Override
            public void onResponse(InboundMessage response) {
                reply.complete(response);
            }

            @Override
            public void onFailure(RdmaRpcException failure) {
                reply.completeExceptionally(failure);
            }
        });
        return Runtimes.get(reply);
    }

    @Test
    @DisplayName("CP-12 closing a channel, a server, a runtime twice has no effect")
    void whenObjectsAreClosedTwiceThenTheSecondCallHasNoEffect() {
        RpcSession session = channel.session(LONG);
        channel.close();
        channel.close();
        Runtimes.await("the session to end", () -> !session.isOpen());
        assertThatExceptionOfType(RdmaUnavailableException.class)
                .isThrownBy(() -> channel.session(LONG))
                .withMessageContaining("is closed");
        server.close();
        server.close();
        calling.close();
        calling.close();
        assertThatIllegalStateException().isThrownBy(() -> calling.start());
    }

    @Test
    @DisplayName("CP-15 FL-12 a port without a listener: a typed exception in time")
    void whenThePortHasNoListenerThenTheChannelFailsInTime() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, Runtimes.LOOPBACK)) {
            port = free.getLocalPort();
        }
        RpcChannel nowhere = calling.channel("orders", new InetSocketAddress(Runtimes.LOOPBACK, port));
        long start = System.nanoTime();

        assertThatExceptionOfType(RdmaUnavailableException.class)
                .isThrownBy(() -> nowhere.session(Duration.ofMillis(300)))
                .withMessageStartingWith("target orders at localhost:" + port + " could not be reached within 300 ms")
                .withMessageEndingWith(
                        "Check that the server runs and that rdma.client.targets.orders.address is right");

        assertThat(Runtimes.since(start)).isLessThan(Duration.ofSeconds(5));
        assertThat(nowhere.isConnected()).isFalse();
    }

    @Test
    @DisplayName("CP-15 a caller that waits for another caller's attempt gets that attempt's failure")
    void whenAnotherCallerIsStillConnectingThenItsLastFailureIsReported() throws Exception {
        int closed;
        try (ServerSocket free = new ServerSocket(0, 1, Runtimes.LOOPBACK)) {
            closed = free.getLocalPort();
        }
        try (ServerSocket silent = new ServerSocket(0, 1, Runtimes.LOOPBACK)) {
            RpcChannel both = calling.channel(
                    "orders",
                    List.of(
                            new InetSocketAddress(Runtimes.LOOPBACK, closed),
                            new InetSocketAddress(Runtimes.LOOPBACK, silent.getLocalPort())));
            CompletableFuture<RpcSession> first = CompletableFuture.supplyAsync(() -> both.session(LONG));
            silent.accept().close();
            try (Socket held = silent.accept()) {
                // Both addresses have failed once, and the first caller is trying the second one again.
                assertThat(held.isConnected()).isTrue();
                assertThatExceptionOfType(RdmaUnavailableException.class)
                        .isThrownBy(() -> both.session(Duration.ofMillis(1)))
                        .withMessageContaining("another caller is still connecting: the control connection failed: ");
                both.close();
            }
            assertThatExceptionOfType(CompletionException.class).isThrownBy(first::join);
        }
    }

    @Test
    @DisplayName("CP-15 the reason of a failed connection appears once, not again in each cause")
    void whenTheServerRejectsThenTheReasonIsTheOnlyCause() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, Runtimes.LOOPBACK)) {
            port = free.getLocalPort();
        }
        RpcChannel nowhere = calling.channel("orders", new InetSocketAddress(Runtimes.LOOPBACK, port));

        assertThatExceptionOfType(RdmaUnavailableException.class)
                .isThrownBy(() -> nowhere.session(Duration.ofMillis(1)))
                .satisfies(e -> {
                    for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
                        assertThat(e.getMessage()).doesNotContain(String.valueOf(cause.getMessage()));
                    }
                });
    }

    @Test
    @DisplayName("FL-02 CP-15 the channel waits for a server that starts late")
    void whenTheServerComesLateThenTheChannelWaits() {
        int port = server.address().getPort();
        server.close();
        CompletableFuture<RpcSession> session = CompletableFuture.supplyAsync(() -> channel.session(LONG));
        Runtimes.await("the caller to try", () -> !channel.isConnected());

        server = listenAgain(port);

        Runtimes.echo(Runtimes.get(session), 10);
    }

    @Test
    @DisplayName("FL-12 a host name that does not resolve is an unreachable target")
    void whenTheNameDoesNotResolveThenTheTargetIsUnreachable() {
        RpcChannel nowhere = calling.channel("x", InetSocketAddress.createUnresolved("no-such-host.invalid", 1));

        assertThatExceptionOfType(RdmaUnavailableException.class)
                .isThrownBy(() -> nowhere.session(Duration.ofMillis(10)))
                .withMessageContaining("no-such-host.invalid");
    }

    @Test
    @DisplayName("CP-20 the failure for a port in use has the name of the setting")
    void whenThePortIsInUseThenTheSettingIsNamed() {
        assertThatExceptionOfType(RdmaConfigurationException.class)
                .isThrownBy(() -> listenAgain(server.address().getPort()))
                .withMessageContaining("server.port");
    }

    @Test
    @DisplayName("FL-01 virtual threads that compute without blocking do not make a peer appear dead")
    void whenAllCarriersAreBusyThenSessionsLive() {
        try (RdmaRuntime impatient = Runtimes.open(Runtimes.config(Duration.ofSeconds(1), LONG))) {
            RpcChannel own = Runtimes.channel(impatient, server);
            RpcSession session = own.session(LONG);
            long end = System.nanoTime() + Duration.ofMillis(1_700).toNanos();
            List<Thread> busy = new ArrayList<>();
            for (int i = 0; i < 2 * Runtime.getRuntime().availableProcessors(); i++) {
                busy.add(Thread.ofVirtual().start(() -> {
                    while (System.nanoTime() - end < 0) {
                        Thread.onSpinWait();
                    }
                }));
            }
            Runtimes.await("the computing threads to end", () -> busy.stream().noneMatch(Thread::isAlive));

            assertThat(session.isOpen()).isTrue();
            Runtimes.echo(session, 10);
        }
    }

    @Test
    @DisplayName("LT-12 repeated opening and closing leaves no thread, no memory, no file descriptor")
    void whenRuntimesAreOpenedAndClosedThenNoResourceIsLeaked() throws IOException {
        int before = 0;
        for (int round = 0; round < 8; round++) {
            try (RdmaRuntime runtime = Runtimes.open()) {
                runtime.export(Echo.export(executor));
                RpcServer own = Runtimes.listen(runtime);
                RpcSession session = Runtimes.channel(runtime, own).session(LONG);
                Runtimes.echo(session, 10);
                Runtimes.echo(session, 10_000);
            }
            if (round == 2) {
                before = openFiles();
            }
        }
        int most = before;
        Runtimes.await("file descriptors to be closed", () -> openFiles() <= most);
    }

    private static int openFiles() {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return (int) files.count();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
