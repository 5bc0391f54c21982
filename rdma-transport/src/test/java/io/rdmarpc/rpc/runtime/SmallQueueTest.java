package io.rdmarpc.rpc.runtime;

import static io.rdmarpc.rpc.runtime.Runtimes.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.memory.MemoryConfig;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.transport.RcConfig;
import io.rdmarpc.transport.RcTransport;
import io.rdmarpc.transport.UdConfig;
import io.rdmarpc.transport.UdTransport;
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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Engines whose send queues hold far fewer requests than their sessions' windows. */
@Timeout(120)
@ParameterizedClass
@EnumSource
class SmallQueueTest {

    /** The minimum depth. */
    private static final int SEND_DEPTH = 16;

    private static final int SESSIONS = 8;
    private static final ServiceContract.Method HOLD = new ServiceContract.Method(
            ServiceContract.methodId("test.Held", "byte[] hold(byte[])"), "byte[] hold(byte[])");

    private final BlockingQueue<RpcRequest> held = new LinkedBlockingQueue<>();

    @Parameter
    SoftLink link;

    private ExecutorService executor;
    private Narrow serving;
    private Narrow calling;
    private List<RpcSession> sessions;

    /** A runtime with a short send queue. */
    private static final class Narrow implements AutoCloseable {

        private final NicContext nic;
        private final UdTransport ud;
        private final RcTransport rc;
        private final RdmaRuntime runtime;

        Narrow(SoftLink link, String name) {
            nic = NicContext.open(Runtimes.nic(link.options()));
            ud = UdTransport.open(nic, new UdConfig(SEND_DEPTH, 512, UdConfig.AUTO_INLINE));
            rc = RcTransport.open(nic, RcConfig.DEFAULTS);
            runtime = RdmaRuntime.create(
                    nic,
                    ud,
                    rc,
                    PollingConfig.DEFAULTS.threads(name).getFirst(),
                    MemoryConfig.DEFAULTS,
                    Runtimes.PATIENT);
            runtime.start();
        }

        @Override
        public void close() {
            runtime.close();
            rc.close();
            ud.close();
            nic.close();
        }
    }

    @BeforeEach
    void open() {
        executor = Executors.newVirtualThreadPerTaskExecutor();
        serving = new Narrow(link, "serving");
        calling = new Narrow(link, "calling");
        serving.runtime.export(Echo.export(executor));
        serving.runtime.export(new ServiceExport(
                new ServiceContract("test.Held", List.of(HOLD), List.of()),
                List.of(new ServiceExport.Method(HOLD.id(), held::add, null))));
        RpcServer server = Runtimes.listen(serving.runtime);
        sessions = IntStream.range(0, SESSIONS)
                .mapToObj(_ -> Runtimes.channel(calling.runtime, server).session(LONG))
                .toList();
    }

    @AfterEach
    void close() {
        calling.close();
        serving.close();
        executor.close();
    }

    @Test
    @DisplayName("FC-03 64 calls in eight windows over a send queue of 16: packets wait, no call fails")
    void whenTheSendQueueIsFullThenPacketsWait() {
        Runtimes.inParallel(SESSIONS, number -> {
            for (int round = 0; round < 20; round++) {
                int seed = round;
                List<CompletableFuture<byte[]>> calls = IntStream.range(0, RpcConfig.DEFAULT_MAX_IN_FLIGHT)
                        .mapToObj(i -> Echo.call(
                                sessions.get(number), Echo.INLINE_ECHO.id(), Echo.payload(700 + i, seed + i), LONG))
                        .toList();
                for (int i = 0; i < calls.size(); i++) {
                    assertThat(Runtimes.get(calls.get(i))).isEqualTo(Echo.payload(700 + i, seed + i));
                }
            }
        });
    }

    @Test
    @DisplayName("FC-04 all windows but one are full at the server: the send queue is free for that one")
    void whenWindowsAreFullThenTheSendQueueIsFree() {
        List<CompletableFuture<byte[]>> waiting = sessions.stream()
                .skip(1)
                .flatMap(session -> IntStream.range(0, 2 * RpcConfig.DEFAULT_MAX_IN_FLIGHT)
                        .mapToObj(i -> Echo.call(session, HOLD.id(), Echo.payload(100, i), LONG)))
                .toList();
        int inWindows = waiting.size() / 2;
        Runtimes.await("full windows", () -> held.size() == inWindows);

        for (int i = 0; i < 500; i++) {
            Runtimes.echo(sessions.getFirst(), Echo.ECHO.id(), i, i);
        }

        assertThat(held).hasSize(inWindows);
        for (int i = 0; i < waiting.size(); i++) {
            EngineCases.respond(take());
        }
        assertThat(waiting).allSatisfy(call -> assertThat(Runtimes.get(call)).hasSize(100));
    }

    private RpcRequest take() {
        try {
            return held.take();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
