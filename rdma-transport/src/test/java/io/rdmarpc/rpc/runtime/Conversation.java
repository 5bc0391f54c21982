package io.rdmarpc.rpc.runtime;

import static io.rdmarpc.rpc.runtime.Runtimes.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.config.TrafficConfig;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.stats.EngineStatistics;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * A conversation with every type of packet. It can be repeated while each time another packet is lost or duplicated.
 * All calls run once and get a response; all large messages are READ once.
 */
final class Conversation implements AutoCloseable {

    static final int LARGE = 20_000;
    private static final int STREAMED = 10;
    static final int WINDOW = 8;
    static final ServiceContract.Method COUNT = method("byte[] count(byte[])");
    private static final ServiceContract.Method HOLD = method("byte[] hold(byte[])");

    /** One packet for each message, so that a fault script can select each message. */
    private static final RpcConfig CONFIG = Runtimes.PATIENT.toBuilder()
            .traffic(new TrafficConfig(false, false))
            .build();

    private final AtomicInteger runs = new AtomicInteger();
    private final BlockingQueue<RpcRequest> held = new LinkedBlockingQueue<>();
    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();

    /** The side whose NIC loses a packet. */
    enum Side {
        CLIENT,
        SERVER
    }

    private static ServiceContract.Method method(String signature) {
        return new ServiceContract.Method(ServiceContract.methodId("test.Conversation", signature), signature);
    }

    /** Exports the methods of the conversation. */
    ServiceExport export() {
        return new ServiceExport(
                new ServiceContract("test.Conversation", List.of(COUNT, HOLD), List.of()),
                List.of(
                        new ServiceExport.Method(COUNT.id(), this::countAndEcho, executor),
                        new ServiceExport.Method(HOLD.id(), held::add, null)));
    }

    private void countAndEcho(RpcRequest request) {
        runs.incrementAndGet();
        EngineCases.respond(request);
    }

    /** Returns the number of datagrams that the side has sent. */
    long hold(SoftLink link, Side side, String script) throws Exception {
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

    /** If the CANCEL packet is lost, the next call in the slot has the same effect. */
    private void cancelOne(RpcSession session) throws InterruptedException {
        CompletableFuture<Integer> end = new CompletableFuture<>();
        ResponseHandler handler = EngineCases.lengthTo(end);
        MessageBuffer request = session.allocate(20);
        request.length(20);
        session.call(HOLD.id(), request, LONG.toNanos(), handler);
        RpcRequest running = held.take();
        session.cancel(handler);
        assertThatExceptionOfType(RdmaRpcException.class)
                .isThrownBy(() -> Runtimes.get(end))
                .satisfies(e -> assertThat(e.status()).isEqualTo(RpcStatus.CANCELLED));
        List<CompletableFuture<byte[]>> next = IntStream.range(0, WINDOW)
                .mapToObj(i -> Echo.call(session, COUNT.id(), Echo.payload(30, i), LONG))
                .toList();
        next.forEach(Runtimes::get);
        Runtimes.await("the method to be notified that its caller has cancelled", running::isCancelled);
        running.fail(RpcStatus.CANCELLED, "", "the caller has cancelled");
    }

    @Override
    public void close() {
        executor.close();
    }
}
