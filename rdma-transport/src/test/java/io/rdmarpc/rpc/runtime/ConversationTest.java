package io.rdmarpc.rpc.runtime;

import static io.rdmarpc.rpc.runtime.Runtimes.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.EngineStatistics;
import io.rdmarpc.rpc.InboundMessage;
import io.rdmarpc.rpc.RdmaTimeoutException;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcConfig;
import io.rdmarpc.rpc.RpcException;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.RpcStatus;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.TrafficConfig;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * One conversation with every kind of packet, held again and again: each time another one of its packets is lost, or comes
 * twice. All calls run once and are answered, all large messages are READ once.
 */
@Timeout(300)
class ConversationTest {

    private static final int LARGE = 20_000;
    private static final int STREAMED = 10;
    private static final int WINDOW = 8;
    private static final ServiceContract.Method COUNT = method("byte[] count(byte[])");
    private static final ServiceContract.Method HOLD = method("byte[] hold(byte[])");

    /** A packet for each message, so that each has its turn. */
    private static final RpcConfig CONFIG = Runtimes.PATIENT.withTraffic(new TrafficConfig(
            TrafficConfig.DEFAULTS.shortestTimeout(), TrafficConfig.DEFAULTS.longestTimeout(), false, false));

    private final AtomicInteger runs = new AtomicInteger();
    private final BlockingQueue<RpcRequest> held = new LinkedBlockingQueue<>();
    private ExecutorService executor;

    /** Whose NIC loses a packet. */
    enum Side {
        CLIENT,
        SERVER
    }

    private static ServiceContract.Method method(String signature) {
        return new ServiceContract.Method(ServiceContract.methodId("test.Conversation", signature), signature);
    }

    private ServiceExport export() {
        return new ServiceExport(
                new ServiceContract("test.Conversation", List.of(COUNT, HOLD), List.of()),
                List.of(
                        new ServiceExport.Method(COUNT.id(), this::countAndEcho, executor),
                        new ServiceExport.Method(HOLD.id(), held::add, null)));
    }

    private void countAndEcho(RpcRequest request) {
        runs.incrementAndGet();
        EngineCases.answer(request);
    }

    @BeforeEach
    void open() {
        executor = Executors.newVirtualThreadPerTaskExecutor();
    }

    @AfterEach
    void close() {
        executor.close();
    }

    @ParameterizedTest
    @CsvSource({
        "SHARED_MEMORY, CLIENT, drop",
        "SHARED_MEMORY, SERVER, drop",
        "SHARED_MEMORY, CLIENT, duplicate",
        "SHARED_MEMORY, SERVER, duplicate",
        "UDP, CLIENT, drop",
        "UDP, SERVER, drop",
        "UDP, CLIENT, duplicate",
        "UDP, SERVER, duplicate"
    })
    @DisplayName("LO-05 LO-06 LO-07 LO-10 each datagram of a conversation in turn is lost, or comes twice")
    void whenADatagramIsLostOrRepeatedThenAllIsWell(SoftLink link, Side side, String action) throws Exception {
        long number = 1;
        while (converse(link, side, action + " " + number + " UD") >= number) {
            number++;
        }
        assertThat(number).as("datagrams that had their turn").isGreaterThan(20);
    }

    /** Over shared memory a READ is a copy, not packets. */
    @ParameterizedTest
    @CsvSource({
        "CLIENT, drop, READ",
        "CLIENT, duplicate, READ",
        "SERVER, drop, READ_RESPONSE",
        "SERVER, duplicate, READ_RESPONSE",
        "SERVER, drop, READ",
        "SERVER, duplicate, READ",
        "CLIENT, drop, READ_RESPONSE",
        "CLIENT, duplicate, READ_RESPONSE"
    })
    @DisplayName("LO-07 LO-10 packets of READs in turn are lost, or come twice: each READ ends once")
    void whenAPacketOfAReadIsLostOrRepeatedThenAllIsWell(Side side, String action, String kind) throws Exception {
        for (int number = 1; number <= 5; number++) {
            converse(SoftLink.UDP, side, action + " " + number + " " + kind);
        }
    }

    /** Returns how many datagrams the side has sent. */
    private long converse(SoftLink link, Side side, String script) throws Exception {
        String[] faulty = link.options("soft.faults.script=" + script);
        runs.set(0);
        try (RdmaRuntime serving = Runtimes.open(CONFIG, side == Side.SERVER ? faulty : link.options());
                RdmaRuntime calling = Runtimes.open(CONFIG, side == Side.CLIENT ? faulty : link.options())) {
            serving.export(export());
            serving.export(StreamEcho.export(executor));
            RpcSession session =
                    Runtimes.channel(calling, Runtimes.listen(serving)).session(LONG);

            Runtimes.echo(session, COUNT.id(), 50, 1);
            Runtimes.echo(session, COUNT.id(), LARGE, 2);
            assertThat(StreamEcho.check(session, STREAMED, 3)).as(script).isEmpty();
            cancelOne(session);

            assertThat(runs).as(script).hasValue(2 + WINDOW);
            EngineStatistics client = calling.statistics();
            EngineStatistics server = serving.statistics();
            assertThat(client.reads()).as("READs of the client, %s", script).isEqualTo(2);
            assertThat(server.reads()).as("READs of the server, %s", script).isEqualTo(2);
            return (side == Side.SERVER ? server : client).packetsSent();
        }
    }

    /** Should the packet that says so be lost, the next call in the slot tells the same. */
    private void cancelOne(RpcSession session) throws InterruptedException {
        CompletableFuture<Integer> end = new CompletableFuture<>();
        ResponseHandler handler = ending(end);
        MessageBuffer request = session.allocate(20);
        request.length(20);
        session.call(HOLD.id(), request, LONG.toNanos(), handler);
        RpcRequest running = held.take();
        session.cancel(handler);
        assertThatExceptionOfType(RpcException.class)
                .isThrownBy(() -> Runtimes.get(end))
                .satisfies(e -> assertThat(e.status()).isEqualTo(RpcStatus.CANCELLED));
        List<CompletableFuture<byte[]>> next = IntStream.range(0, WINDOW)
                .mapToObj(i -> Echo.call(session, COUNT.id(), Echo.payload(30, i), LONG))
                .toList();
        next.forEach(Runtimes::get);
        Runtimes.await("the method to hear that its caller has gone", running::isCancelled);
        running.fail(RpcStatus.CANCELLED, "", "nobody waits for it");
    }

    private static ResponseHandler ending(CompletableFuture<Integer> end) {
        return new ResponseHandler() {
            @Override
            public void onResponse(InboundMessage response) {
                end.complete(response.length());
                response.close();
            }

            @Override
            public void onFailure(RpcException failure) {
                end.completeExceptionally(failure);
            }
        };
    }

    @Test
    @DisplayName("LO-09 SM-11 a call whose time is over while its answer is READ: that READ ends in nothing")
    void whenTheTimeIsOverWhileTheAnswerIsReadThenTheReadEndsInNothing() {
        String[] slow = SoftLink.UDP.options("soft.faults.script=delay 2-1000 READ_RESPONSE 300ms");
        try (RdmaRuntime serving = Runtimes.open(slow);
                RdmaRuntime calling = Runtimes.open(SoftLink.UDP.options())) {
            serving.export(export());
            RpcSession session =
                    Runtimes.channel(calling, Runtimes.listen(serving)).session(LONG);
            // Its answer is one packet less than the others': the connection is there then.
            Runtimes.echo(session, COUNT.id(), session.maxPacketPayload() + 1, 1);

            CompletableFuture<byte[]> late =
                    Echo.call(session, COUNT.id(), Echo.payload(LARGE, 2), Duration.ofMillis(150));

            assertThatExceptionOfType(RdmaTimeoutException.class).isThrownBy(() -> Runtimes.get(late));
            assertThat(calling.statistics().reads()).as("READs that have ended").isOne();
            for (int i = 0; i < 2 * WINDOW; i++) {
                Runtimes.echo(session, COUNT.id(), 100 + i, i);
            }
            Runtimes.await(
                    "the READ's memory to be free", () -> calling.memory().inUseBytes() < LARGE);
            assertThat(session.isOpen()).isTrue();
        }
    }
}
