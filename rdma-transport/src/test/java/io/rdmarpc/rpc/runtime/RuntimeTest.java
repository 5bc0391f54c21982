package io.rdmarpc.rpc.runtime;

import static io.rdmarpc.rpc.runtime.Runtimes.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.TestSeed;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.error.RdmaContractException;
import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A server and a client, each with its own software RNIC, in one process. */
@Timeout(120)
class RuntimeTest {

    private static final int MAX_MESSAGE = 16 << 20;
    private static final int INLINE = 256;
    private static final int REQUEST_HEADER = 40;
    private static final int RESPONSE_HEADER = 32;

    private static ExecutorService executor;
    private static RdmaRuntime serving;
    private static RdmaRuntime calling;
    private static RpcServer server;
    private static RpcChannel channel;
    private static RpcSession session;

    @BeforeAll
    static void open() {
        executor = Executors.newVirtualThreadPerTaskExecutor();
        RpcConfig config =
                Runtimes.PATIENT.toBuilder().maxMessageBytes(MAX_MESSAGE).build();
        serving = Runtimes.open(config);
        calling = Runtimes.open(config);
        serving.export(Echo.export(executor));
        server = Runtimes.listen(serving);
        channel = Runtimes.channel(calling, server);
        session = channel.session(LONG);
    }

    @AfterAll
    static void close() {
        calling.close();
        serving.close();
        executor.close();
        assertThat(calling.registeredBytes())
                .as("registered bytes of the client")
                .isZero();
        assertThat(serving.registeredBytes())
                .as("registered bytes of the server")
                .isZero();
    }

    static Stream<Arguments> sizes() {
        int packet = session.maxPacketPayload();
        int[] sizes = {
            0,
            1,
            INLINE - REQUEST_HEADER,
            INLINE - REQUEST_HEADER + 1,
            INLINE - RESPONSE_HEADER,
            INLINE - RESPONSE_HEADER + 1,
            packet - 1,
            packet,
            packet + 1,
            64 << 10,
            (64 << 10) + 1,
            1 << 20,
            (1 << 20) + 1,
            MAX_MESSAGE
        };
        return IntStream.of(sizes)
                .boxed()
                .flatMap(size -> Stream.of(Arguments.of(size, "executor"), Arguments.of(size, "engine")));
    }

    @ParameterizedTest(name = "{0} bytes, handler on the {1}")
    @MethodSource("sizes")
    @DisplayName("SM-05 SM-07 LG-05 LG-06 payloads of every size are echoed unchanged")
    void shouldEcho(int size, String where) {
        int method = where.equals("engine") ? Echo.INLINE_ECHO.id() : Echo.ECHO.id();
        for (int i = 0; i < 3; i++) {
            Runtimes.echo(session, method, size, i);
        }
    }

    @Test
    @DisplayName("LG-06 one byte over the largest message is rejected at the sender")
    void whenAMessageIsTooLargeThenTheSenderRejectsIt() {
        assertThat(session.maxMessageBytes()).isEqualTo(MAX_MESSAGE);
        assertThatExceptionOfType(RdmaMessageTooLargeException.class)
                .isThrownBy(() -> session.allocate(MAX_MESSAGE + 1))
                .withMessageContaining("rdma.max-message-size");
    }

    @Test
    @DisplayName("SM-02 a sequence of calls")
    void shouldRespondToASequenceOfCalls() {
        for (int i = 0; i < 2_000; i++) {
            Runtimes.echo(session, Echo.INLINE_ECHO.id(), 32, i);
        }
    }

    @Test
    @DisplayName("SM-03 64 concurrent callers over a window of 8: no response is wrong, lost or mixed up")
    void whenManyCallConcurrentlyThenEachGetsItsResponse() {
        long seed = TestSeed.next();
        Runtimes.inParallel(64, number -> {
            SplittableRandom random = new SplittableRandom(seed + number);
            for (int i = 0; i < 40; i++) {
                int size = random.nextInt(10) == 0 ? random.nextInt(300_000) : random.nextInt(5_000);
                int method = random.nextBoolean() ? Echo.ECHO.id() : Echo.INLINE_ECHO.id();
                try {
                    Runtimes.echo(session, method, size, random.nextLong());
                } catch (RuntimeException | AssertionError e) {
                    throw new AssertionError("seed " + seed + ", thread " + number + ", call " + i, e);
                }
            }
        });
    }

    @Test
    @DisplayName("SM-04 several sessions of one client to one server")
    void whenThereAreSeveralSessionsThenAllWork() {
        List<RpcChannel> channels = IntStream.range(0, 10)
                .mapToObj(i -> Runtimes.channel(calling, server))
                .toList();
        Runtimes.inParallel(channels.size(), number -> {
            RpcSession own = channels.get(number).session(LONG);
            for (int i = 0; i < 20; i++) {
                Runtimes.echo(own, number * 1_000 + i);
            }
        });
        channels.forEach(RpcChannel::close);
        Runtimes.await(
                "the sessions to end at the server", () -> serving.statistics().serverSessions() == 1);
    }

    @Test
    @DisplayName("LG-01 LG-02 LG-11 a sequence of large messages needs no more memory than the first ones")
    void whenLargeMessagesAreSentInSequenceThenMemoryDoesNotGrow() {
        Runtimes.inParallel(8, number -> echoLarge(50));
        long serverBytes = serving.registeredBytes();
        long clientBytes = calling.registeredBytes();

        Runtimes.inParallel(8, number -> echoLarge(200));

        assertThat(serving.registeredBytes()).isLessThanOrEqualTo(serverBytes + (16 << 20));
        assertThat(calling.registeredBytes()).isLessThanOrEqualTo(clientBytes + (16 << 20));
    }

    private static void echoLarge(int calls) {
        for (int i = 0; i < calls; i++) {
            Runtimes.echo(session, 16_384);
        }
    }

    @Test
    @DisplayName("LG-08 more concurrent large messages than READs: they queue")
    void whenManyLargeMessagesAreInFlightThenTheyQueue() {
        Runtimes.inParallel(24, number -> Runtimes.echo(session, (1 << 20) + number));
    }

    @Test
    @DisplayName("CP-01 16 engines in 16 threads, each with its own NIC")
    void whenEnginesAreMadeInManyThreadsThenAllWork() {
        Runtimes.inParallel(16, number -> {
            try (RdmaRuntime own = Runtimes.open()) {
                RpcChannel toServer = Runtimes.channel(own, server);
                Runtimes.echo(toServer.session(LONG), number);
                Runtimes.echo(toServer.session(LONG), 10_000 + number);
            }
        });
        Runtimes.await(
                "the sessions to end at the server", () -> serving.statistics().serverSessions() == 1);
    }

    @Test
    @DisplayName("FC-05 both sides call each other as fast as they can: no deadlock")
    void whenBothSidesCallThenThereIsNoDeadlock() {
        calling.export(Echo.export(executor));
        try (RpcServer other = Runtimes.listen(calling)) {
            RpcChannel backwards = Runtimes.channel(serving, other);
            RpcSession backwardSession = backwards.session(LONG);
            Runtimes.inParallel(48, number -> {
                RpcSession own = number % 2 == 0 ? session : backwardSession;
                int method = number % 3 == 0 ? Echo.INLINE_ECHO.id() : Echo.ECHO.id();
                for (int i = 0; i < 40; i++) {
                    Runtimes.echo(own, method, i % 8 == 0 ? 30_000 : 3_000, number);
                }
            });
            backwards.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {16, 20_000})
    @DisplayName("SM-08 SM-10 LG-03 a handler that calls another server, waiting in its thread or responding later")
    void whenAHandlerCallsThenTheResponseComesThroughBoth(int size) {
        try (RdmaRuntime middle = Runtimes.open()) {
            RpcChannel onwards = Runtimes.channel(middle, server);
            onwards.session(LONG);
            ServiceContract.Method waiting = method("byte[] waiting(byte[])");
            ServiceContract.Method later = method("byte[] later(byte[])");
            middle.export(new ServiceExport(
                    new ServiceContract("test.Relay", List.of(waiting, later), List.of()),
                    List.of(
                            new ServiceExport.Method(waiting.id(), request -> relay(onwards, request), executor),
                            new ServiceExport.Method(later.id(), request -> relayLater(onwards, request), null))));
            RpcServer relay = Runtimes.listen(middle);
            RpcChannel toRelay = Runtimes.channel(calling, relay);
            RpcSession first = toRelay.session(LONG);

            Runtimes.inParallel(16, number -> {
                for (int i = 0; i < 10; i++) {
                    Runtimes.echo(first, waiting.id(), size, number);
                    Runtimes.echo(first, later.id(), size, number);
                }
            });
            toRelay.close();
        }
    }

    private static ServiceContract.Method method(String signature) {
        return new ServiceContract.Method(ServiceContract.methodId("test.Relay", signature), signature);
    }

    private static void relay(RpcChannel onwards, RpcRequest request) {
        byte[] payload = request.message().payload().toArray(ValueLayout.JAVA_BYTE);
        byte[] reply = Runtimes.get(Echo.call(onwards.session(LONG), Echo.ECHO.id(), payload, LONG));
        respond(request, MemorySegment.ofArray(reply));
    }

    /** Runs on the engine's thread, where no call may block, so the response handler sends the response. */
    private static void relayLater(RpcChannel onwards, RpcRequest request) {
        RpcSession session = onwards.session(LONG);
        MessageBuffer copy = session.allocate(request.message().length());
        MemorySegment.copy(
                request.message().payload(),
                0,
                copy.segment(),
                0,
                request.message().length());
        copy.length(request.message().length());
        session.call(Echo.ECHO.id(), copy, LONG.toNanos(), new ResponseHandler() {
            @Override
            public void onResponse(InboundMessage response) {
                try (response) {
                    respond(request, response.payload());
                }
            }

            @Override
            public void onFailure(RdmaRpcException failure) {
                request.fail(failure.status(), "", String.valueOf(failure.getMessage()));
            }
        });
    }

    private static void respond(RpcRequest request, MemorySegment bytes) {
        MessageBuffer reply = request.allocate((int) bytes.byteSize());
        MemorySegment.copy(bytes, 0, reply.segment(), 0, bytes.byteSize());
        reply.length((int) bytes.byteSize());
        request.respond(reply);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 100, 1 << 20})
    @DisplayName("CP-13 a session of an engine with itself")
    void whenAnEngineCallsItselfThenItResponds(int size) {
        RpcChannel self = Runtimes.channel(serving, server);
        RpcSession own = self.session(LONG);
        for (int i = 0; i < 20; i++) {
            Runtimes.echo(own, Echo.INLINE_ECHO.id(), size, i);
            Runtimes.echo(own, Echo.ECHO.id(), size, i);
        }
        self.close();
    }

    @Test
    @DisplayName("FL-04 a handler that throws: its message and its type arrive")
    void whenTheHandlerThrowsThenTheCallerGetsItsMessage() {
        assertThatExceptionOfType(RdmaRemoteException.class)
                .isThrownBy(() -> Runtimes.get(Echo.call(session, Echo.FAIL.id(), new byte[3], LONG)))
                .withMessage("rejected on purpose")
                .satisfies(failure -> {
                    assertThat(failure.remoteType()).isEqualTo("java.lang.IllegalStateException");
                    assertThat(failure.status()).isEqualTo(RpcStatus.HANDLER_FAILED);
                });
        Runtimes.echo(session, 10);
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 100_000})
    @DisplayName("FL-05 an unknown method is rejected with a reason; its large request is not READ")
    void whenTheMethodIsUnknownThenTheCallFailsWithTheReason(int size) {
        long reads = serving.statistics().reads();
        assertThatExceptionOfType(RdmaContractException.class)
                .isThrownBy(() -> Runtimes.get(Echo.call(session, 4711, new byte[size], LONG)))
                .withMessageContaining("the server has no method with id 0x1267; it exports [test.Echo]");
        assertThat(serving.statistics().reads()).isEqualTo(reads);
    }

    @Test
    @DisplayName("FL-06 a call that takes too long fails in time, the session continues")
    void whenTheCallTakesTooLongThenItTimesOut() {
        for (int size : new int[] {10, 50_000}) {
            byte[] payload = Echo.payload(size, 1);
            assertThatExceptionOfType(RdmaTimeoutException.class)
                    .isThrownBy(() -> Runtimes.get(Echo.call(session, Echo.SLOW.id(), payload, Duration.ofMillis(50))))
                    .withMessageContaining(" within 50 ms");
            Runtimes.echo(session, size);
        }
    }

    @Test
    @DisplayName("FL-06 large calls that time out while their handlers run do not end the session")
    void whenLargeCallsTimeOutThenTheSessionLives() {
        RpcSession before = channel.session(LONG);
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            calls.add(Echo.call(before, Echo.SLOW.id(), Echo.payload(50_000, i), Duration.ofMillis(60)));
        }
        calls.forEach(
                call -> assertThatExceptionOfType(RdmaTimeoutException.class).isThrownBy(() -> Runtimes.get(call)));

        // All slots become free: as many concurrent calls as the window has, in less than the time after which the
        // session would end.
        Runtimes.inParallel(8, number -> Runtimes.echo(before, number));

        assertThat(before.isOpen()).isTrue();
        assertThat(channel.session(LONG)).isSameAs(before);
    }

    @Test
    @DisplayName("FL-05 a matching contract is accepted, and the result is cached")
    void whenTheContractMatchesThenCallsAreAccepted() {
        channel.verify(session, Echo.CONTRACT);
        channel.verify(session, Echo.CONTRACT);
        channel.verify(session, new ServiceContract(Echo.SERVICE, List.of(Echo.ECHO), List.of()));
    }

    @Test
    @DisplayName("FL-05 a contract that differs is rejected with the difference")
    void whenTheContractDiffersThenTheMessageHasTheDifference() {
        ServiceContract other = new ServiceContract(
                Echo.SERVICE, List.of(new ServiceContract.Method(1, "String echo(String)")), List.of());

        assertThatExceptionOfType(RdmaContractException.class)
                .isThrownBy(() -> channel.verify(session, other))
                .withMessageContaining("service test.Echo differs: the client calls String echo(String), the server"
                        + " offers byte[] echo(byte[])");
        assertThatExceptionOfType(RdmaContractException.class)
                .isThrownBy(() -> channel.verify(session, new ServiceContract("test.Other", List.of(), List.of())))
                .withMessageContaining("the server does not export service test.Other; it exports test.Echo");
        Runtimes.echo(session, 10);
    }

    @Test
    void shouldDescribeTheSession() {
        assertThat(session.info().provider()).isEqualTo("soft");
        assertThat(session.info().pathMtuBytes()).isEqualTo(4096);
        assertThat(session.info().window()).isEqualTo(8);
        assertThat(session.info().peer()).endsWith(":" + server.address().getPort());
    }
}
