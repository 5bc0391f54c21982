package io.rdmarpc.rpc.runtime;

import static io.rdmarpc.rpc.runtime.Runtimes.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.memory.RdmaBufferStateException;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.error.RdmaBackpressureException;
import io.rdmarpc.rpc.error.RdmaContractException;
import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.stats.EngineStatistics;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The behavior of calls on every provider and network: a client and a server engine in one process, without a fake.
 * Subclasses extend {@link EngineMoreCases}, which has further cases.
 */
abstract class EngineCases {

    static final int MAX_MESSAGE = 4 << 20;
    static final int WINDOW = 8;
    private static final int BACKLOG = 100;
    private static final String SERVICE = "test.Cases";
    /** Keeps the request, to which the test responds. */
    static final ServiceContract.Method HOLD = method("byte[] hold(byte[])");
    /** Responds with as many bytes as the first four bytes of the request specify. */
    private static final ServiceContract.Method SIZED = method("byte[] sized(byte[])");

    final BlockingQueue<RpcRequest> held = new LinkedBlockingQueue<>();
    ExecutorService executor;
    RdmaRuntime serving;
    RdmaRuntime calling;
    RpcServer server;
    RpcSession session;
    private RpcChannel channel;

    /** Opens a runtime on the provider under test. */
    abstract RdmaRuntime open(RpcConfig config);

    /** Returns the number of calls in a sequence. */
    abstract int calls();

    private static ServiceContract.Method method(String signature) {
        return new ServiceContract.Method(ServiceContract.methodId(SERVICE, signature), signature);
    }

    static RpcConfig config(int maxMessageBytes) {
        return Runtimes.PATIENT.toBuilder()
                .maxInFlight(WINDOW)
                .maxQueued(BACKLOG)
                .maxMessageBytes(maxMessageBytes)
                .build();
    }

    @BeforeEach
    void connect() {
        executor = Executors.newVirtualThreadPerTaskExecutor();
        serving = open(config(MAX_MESSAGE));
        calling = open(config(MAX_MESSAGE));
        export(serving);
        server = Runtimes.listen(serving);
        channel = Runtimes.channel(calling, server);
        session = channel.session(LONG);
    }

    void export(RdmaRuntime runtime) {
        runtime.export(Echo.export(executor));
        runtime.export(new ServiceExport(
                new ServiceContract(SERVICE, List.of(HOLD, SIZED), List.of()),
                List.of(
                        new ServiceExport.Method(HOLD.id(), held::add, null),
                        new ServiceExport.Method(SIZED.id(), EngineCases::respondSized, executor))));
    }

    /** After each test the memory of all calls must be released. */
    @AfterEach
    void close() {
        calling.close();
        serving.close();
        executor.close();
        assertThat(calling.registeredBytes()).as("bytes of the client").isZero();
        assertThat(serving.registeredBytes()).as("bytes of the server").isZero();
    }

    private static void respondSized(RpcRequest request) {
        int length = request.message().payload().get(ValueLayout.JAVA_INT_UNALIGNED, 0);
        MessageBuffer response = request.allocate(length);
        response.segment().asSlice(0, length).fill((byte) length);
        response.length(length);
        request.respond(response);
    }

    private static byte[] number(int value) {
        byte[] bytes = new byte[4];
        MemorySegment.ofArray(bytes).set(ValueLayout.JAVA_INT_UNALIGNED, 0, value);
        return bytes;
    }

    CompletableFuture<byte[]> hold(byte[] payload, Duration timeout) {
        return Echo.call(session, HOLD.id(), payload, timeout);
    }

    static void respond(RpcRequest request) {
        respond(request, request.message().payload().toArray(ValueLayout.JAVA_BYTE));
    }

    static void respond(RpcRequest request, byte[] bytes) {
        MessageBuffer response = request.allocate(bytes.length);
        MemorySegment.copy(bytes, 0, response.segment(), ValueLayout.JAVA_BYTE, 0, bytes.length);
        response.length(bytes.length);
        request.respond(response);
    }

    RpcRequest nextHeld() {
        try {
            return held.take();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @DisplayName(
            "SM-01 SM-05 SM-07 LG-05 LG-06 one call of each size: empty, inline, a packet, one byte more, the maximum")
    void shouldEchoEverySize() {
        int packet = session.maxPacketPayload();
        int[] sizes = {
            0, 1, 32, 200, 256, packet - 1, packet, packet + 1, 64 << 10, (64 << 10) + 1, 1 << 20, MAX_MESSAGE
        };
        for (int size : sizes) {
            Runtimes.echo(session, Echo.ECHO.id(), size, size);
            Runtimes.echo(session, Echo.INLINE_ECHO.id(), size, ~size);
        }
    }

    @Test
    @DisplayName("SM-02 a sequence of calls")
    void shouldRespondToASequenceOfCalls() {
        for (int i = 0; i < calls(); i++) {
            Runtimes.echo(session, Echo.INLINE_ECHO.id(), i % 64, i);
        }
        assertThat(calling.statistics().callsCompleted()).isEqualTo(calls());
    }

    @Test
    @DisplayName("SM-03 FC-01 64 callers over a window of 8: they wait, no response is lost or mixed up")
    void whenCallsAreMoreThanTheWindowThenAllGetResponses() {
        Runtimes.inParallel(64, number -> {
            for (int i = 0; i < calls() / 64; i++) {
                Runtimes.echo(session, Echo.ECHO.id(), (number * 31 + i) % 3_000, number * 1_000L + i);
            }
        });
    }

    @Test
    @DisplayName("SM-03 FC-01 256 calls over a window of 256: all are at the server at the same time, none is mixed up")
    void whenTheWindowIsTheLargestThenAsManyCallsAreInFlight() {
        RpcConfig wide = config(MAX_MESSAGE).toBuilder()
                .maxInFlight(RpcConfig.MAX_IN_FLIGHT)
                .build();
        try (RdmaRuntime wideServing = open(wide);
                RdmaRuntime wideCalling = open(wide)) {
            export(wideServing);
            RpcSession own =
                    Runtimes.channel(wideCalling, Runtimes.listen(wideServing)).session(LONG);
            List<CompletableFuture<byte[]>> answers = IntStream.range(0, 256)
                    .mapToObj(i -> Echo.call(own, HOLD.id(), number(i), LONG))
                    .toList();
            IntStream.range(0, 256).mapToObj(_ -> nextHeld()).toList().forEach(EngineCases::respond);
            for (int i = 0; i < 256; i++) {
                assertThat(Runtimes.get(answers.get(i))).isEqualTo(number(i));
            }
        }
    }

    @Test
    @DisplayName("SM-04 LG-04 several sessions with concurrent small and large calls")
    void whenSessionsAreSeveralThenEachHasItsOwnResponses() {
        List<RpcChannel> channels = IntStream.range(0, 4)
                .mapToObj(i -> Runtimes.channel(calling, server))
                .toList();
        Runtimes.inParallel(8, number -> {
            RpcSession own = channels.get(number % channels.size()).session(LONG);
            for (int i = 0; i < calls() / 16; i++) {
                Runtimes.echo(own, Echo.ECHO.id(), i % 4 == 0 ? 30_000 + number : 100 + number, i);
            }
        });
        channels.forEach(RpcChannel::close);
    }

    @Test
    @DisplayName("SM-06 one piece of memory as the request of many calls; a buffer that was sent cannot be sent again")
    void whenRequestsShareMemoryThenEachCallSendsItsBytes() {
        byte[] shared = Echo.payload(500, 1);
        List<CompletableFuture<byte[]>> answers = IntStream.range(0, 50)
                .mapToObj(i -> Echo.call(session, Echo.ECHO.id(), shared, LONG))
                .toList();
        assertThat(answers)
                .allSatisfy(response -> assertThat(Runtimes.get(response)).isEqualTo(shared));

        MessageBuffer buffer = session.allocate(10);
        buffer.length(10);
        CompletableFuture<Integer> first = new CompletableFuture<>();
        session.call(Echo.ECHO.id(), buffer, LONG.toNanos(), lengthTo(first));
        assertThatExceptionOfType(RdmaBufferStateException.class)
                .isThrownBy(() -> session.call(Echo.ECHO.id(), buffer, LONG.toNanos(), lengthTo(first)));
        assertThat(Runtimes.get(first)).isEqualTo(10);
    }

    /** Completes a future with the length of the response, and releases the response. */
    static ResponseHandler lengthTo(CompletableFuture<Integer> result) {
        return new ResponseHandler() {
            @Override
            public void onResponse(InboundMessage response) {
                result.complete(response.length());
                response.close();
            }

            @Override
            public void onFailure(RdmaRpcException failure) {
                result.completeExceptionally(failure);
            }
        };
    }

    /**
     * A device may renew the keys of blocks, which are then unavailable for the next call; a few other blocks are lent
     * meanwhile.
     */
    private static final long BEING_RENEWED_BYTES = 8 * (64 << 10);

    @Test
    @DisplayName("LG-01 a sequence of requests of 16 KiB does not increase the server's memory")
    void shouldServeASequenceOfLargeRequests() {
        Runtimes.echo(session, 16 << 10);
        long before = serving.registeredBytes();
        for (int i = 0; i < calls() / 4; i++) {
            Runtimes.echo(session, Echo.ECHO.id(), 16 << 10, i);
        }
        assertThat(serving.registeredBytes() - before)
                .as("bytes more after %d calls", calls() / 4)
                .isLessThanOrEqualTo(BEING_RENEWED_BYTES);
    }

    @Test
    @DisplayName("LG-02 responses larger than their requests have the length that the server set")
    void shouldReceiveASequenceOfLargeResponses() {
        for (int i = 0; i < calls() / 4; i++) {
            int length = (16 << 10) + i % 7;
            byte[] response = Runtimes.get(Echo.call(session, SIZED.id(), number(length), LONG));
            assertThat(response).hasSize(length).containsOnly((byte) length);
        }
    }

    @Test
    @DisplayName("LG-07 a response larger than the caller accepts is an error, never truncated")
    void whenTheResponseIsLargerThanTheCallerAcceptsThenTheCallFails() {
        try (RdmaRuntime modest = open(config(64 << 10))) {
            RpcSession small = Runtimes.channel(modest, server).session(LONG);
            assertThat(small.maxMessageBytes()).isEqualTo(64 << 10);
            assertThat(Runtimes.get(Echo.call(small, SIZED.id(), number(64 << 10), LONG)))
                    .hasSize(64 << 10);
            for (int length : new int[] {(64 << 10) + 1, 1 << 20}) {
                assertThatExceptionOfType(RdmaMessageTooLargeException.class)
                        .isThrownBy(() -> Runtimes.get(Echo.call(small, SIZED.id(), number(length), LONG)));
            }
            Runtimes.echo(small, 64 << 10);
        }
    }

    @Test
    @DisplayName("LG-08 more concurrent large messages than READs may be in flight: they queue")
    void whenReadsAreManyThenTheyQueue() {
        List<CompletableFuture<byte[]>> answers = new ArrayList<>();
        for (int i = 0; i < WINDOW + BACKLOG; i++) {
            answers.add(Echo.call(session, Echo.ECHO.id(), Echo.payload(40_000, i), LONG));
        }
        for (int i = 0; i < answers.size(); i++) {
            assertThat(Echo.difference(Echo.payload(40_000, i), Runtimes.get(answers.get(i))))
                    .isNull();
        }
    }

    @Test
    @DisplayName("FC-02 window and backlog full: the next call fails with back-pressure, the others get responses")
    void whenTheBacklogIsFullThenTheNextCallIsRejected() {
        List<CompletableFuture<byte[]>> calls = IntStream.range(0, WINDOW + BACKLOG)
                .mapToObj(i -> hold(Echo.payload(20, i), LONG))
                .toList();
        assertThatExceptionOfType(RdmaBackpressureException.class)
                .isThrownBy(() -> Runtimes.get(hold(new byte[1], LONG)));
        for (int i = 0; i < calls.size(); i++) {
            respond(nextHeld());
        }
        for (int i = 0; i < calls.size(); i++) {
            assertThat(Runtimes.get(calls.get(i))).isEqualTo(Echo.payload(20, i));
        }
    }

    @Test
    @DisplayName("FC-05 both sides call each other at once, small and large: no deadlock")
    void whenBothSidesCallThenThereIsNoDeadlock() {
        calling.export(Echo.export(executor));
        RpcServer other = Runtimes.listen(calling);
        RpcSession back = Runtimes.channel(serving, other).session(LONG);
        Runtimes.inParallel(16, number -> {
            RpcSession way = number % 2 == 0 ? session : back;
            for (int i = 0; i < calls() / 16; i++) {
                Runtimes.echo(way, Echo.ECHO.id(), i % 5 == 0 ? 20_000 : 300, i);
            }
        });
    }

    @Test
    @DisplayName("LT-02 some of 64 calls end before their responses: the others get theirs")
    @SuppressWarnings("ThreadPriorityCheck") // A spinning thread would keep the core from the thread that it waits for.
    void whenSomeCallsEndEarlyThenTheOthersAreRight() {
        List<CompletableFuture<byte[]>> calls = IntStream.range(0, 64)
                .mapToObj(i ->
                        hold(Echo.payload(i % 8 == 1 ? 9_000 : 50, i), i % 3 == 0 ? Duration.ofMillis(50) : LONG))
                .toList();
        for (int i = 0; i < 64; i += 3) {
            CompletableFuture<byte[]> early = calls.get(i);
            assertThatExceptionOfType(RdmaTimeoutException.class).isThrownBy(() -> Runtimes.get(early));
        }
        while (!calls.stream().allMatch(CompletableFuture::isDone)) {
            RpcRequest request = held.poll();
            if (request != null) {
                respond(request);
            } else {
                Thread.yield();
            }
        }
        for (int i = 0; i < 64; i++) {
            if (i % 3 != 0) {
                assertThat(Runtimes.get(calls.get(i)))
                        .as("call %d", i)
                        .isEqualTo(Echo.payload(i % 8 == 1 ? 9_000 : 50, i));
            }
        }
    }

    @Test
    @DisplayName("LT-03 responses after the deadline: their slots are free again")
    void whenDeadlinesPassThenSlotsBecomeFree() {
        for (int i = 0; i < 4 * WINDOW; i++) {
            CompletableFuture<byte[]> forgotten = hold(new byte[10], Duration.ofMillis(30));
            assertThat(forgotten).isNotNull();
        }
        Runtimes.echo(session, 100);
        Runtimes.await("the end of all calls", () -> {
            EngineStatistics statistics = calling.statistics();
            return statistics.callsStarted() == statistics.callsCompleted() + statistics.callsFailed();
        });
        held.forEach(EngineCases::respond);
    }

    @Test
    @DisplayName("FL-03 calls in flight fail when the server disconnects, before their deadline")
    void whenTheServerGoesThenCallsInFlightFail() {
        List<CompletableFuture<byte[]>> calls = IntStream.range(0, 20)
                .mapToObj(i -> hold(Echo.payload(i % 2 == 0 ? 20 : 10_000, i), Duration.ofHours(1)))
                .toList();
        nextHeld();
        server.close();
        serving.stop(Duration.ZERO);
        assertThat(calls)
                .allSatisfy(call -> assertThatExceptionOfType(RdmaUnavailableException.class)
                        .isThrownBy(() -> Runtimes.get(call)));
    }

    @Test
    @DisplayName("FL-04 FL-05 a method that throws and one that does not exist: typed errors, the session continues")
    void whenMethodsFailThenTheSessionContinues() {
        assertThatExceptionOfType(RdmaRemoteException.class)
                .isThrownBy(() -> Runtimes.get(Echo.call(session, Echo.FAIL.id(), new byte[5], LONG)))
                .withMessageContaining("rejected on purpose");
        assertThatExceptionOfType(RdmaContractException.class)
                .isThrownBy(() -> Runtimes.get(Echo.call(session, 0x1234, new byte[30_000], LONG)));
        Runtimes.echo(session, 20_000);
    }

    private InboundMessage responseTo(byte[] payload) {
        CompletableFuture<InboundMessage> result = new CompletableFuture<>();
        MessageBuffer request = session.allocate(payload.length);
        MemorySegment.copy(payload, 0, request.segment(), ValueLayout.JAVA_BYTE, 0, payload.length);
        request.length(payload.length);
        session.call(Echo.ECHO.id(), request, LONG.toNanos(), new ResponseHandler() {
            @Override
            public void onResponse(InboundMessage response) {
                result.complete(response);
            }

            @Override
            public void onFailure(RdmaRpcException failure) {
                result.completeExceptionally(failure);
            }
        });
        return Runtimes.get(result);
    }

    private void callWithOthers() {
        for (int i = 0; i < 3 * WINDOW; i++) {
            Runtimes.echo(session, Echo.ECHO.id(), 200_000, 1000 + i);
        }
    }

    @Test
    @DisplayName("large responses that are held, more than the window has calls, keep their bytes during other calls")
    void whenLargeResponsesAreHeldThenTheyKeepTheirBytes() {
        List<InboundMessage> kept = IntStream.range(0, 2 * WINDOW)
                .mapToObj(i -> responseTo(Echo.payload(200_000, i)))
                .toList();
        callWithOthers();
        for (int i = 0; i < kept.size(); i++) {
            assertThat(kept.get(i).payload().toArray(ValueLayout.JAVA_BYTE))
                    .as("response %d", i)
                    .isEqualTo(Echo.payload(200_000, i));
            kept.get(i).close();
        }
        callWithOthers();
    }

    @Test
    @DisplayName(
            "a large request keeps its bytes while its method runs, even if its caller has cancelled and calls again")
    void whenTheCallerCancelsThenALargeRequestKeepsItsBytes() {
        Runtimes.echo(session, 200_000);
        CompletableFuture<byte[]> early = hold(Echo.payload(200_000, 5), Duration.ofMillis(300));
        RpcRequest request = nextHeld();
        assertThatExceptionOfType(RdmaTimeoutException.class).isThrownBy(() -> Runtimes.get(early));
        callWithOthers();
        assertThat(request.message().payload().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(Echo.payload(200_000, 5));
        respond(request);
        callWithOthers();
    }

    @Test
    @DisplayName("ME-02 both engines count packets, bytes, calls and READs")
    void shouldCountCalls() {
        for (int i = 0; i < 10; i++) {
            Runtimes.echo(session, Echo.ECHO.id(), 50_000, i);
        }
        EngineStatistics client = calling.statistics();
        EngineStatistics served = serving.statistics();
        assertThat(client.callsStarted()).isEqualTo(10);
        assertThat(client.callsCompleted()).isEqualTo(10);
        assertThat(client.reads()).isEqualTo(10);
        assertThat(client.readBytes()).isEqualTo(500_000);
        assertThat(served.requestsReceived()).isEqualTo(10);
        assertThat(served.reads()).isEqualTo(10);
        assertThat(served.packetsReceived()).isGreaterThanOrEqualTo(10);
        assertThat(client.bytesSent()).isGreaterThan(client.packetsSent());
    }
}
