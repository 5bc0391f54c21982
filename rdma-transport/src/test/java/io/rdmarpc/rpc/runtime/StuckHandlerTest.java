package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rdmarpc.memory.MemoryConfig;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.BytesHandler;
import io.rdmarpc.rpc.RpcCall;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServedCall;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.transport.NicConfig;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.transport.RcConfig;
import io.rdmarpc.transport.RcTransport;
import io.rdmarpc.transport.UdConfig;
import io.rdmarpc.transport.UdTransport;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("A handler on the polling thread that does not return")
@Timeout(120)
class StuckHandlerTest {

    private static final int STICK = 1;
    private static final int ECHO = 2;
    private static final Duration SOON = Duration.ofMillis(300);

    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch letGo = new CountDownLatch(1);
    private final AtomicReference<String> seen = new AtomicReference<>("");
    private final AtomicReference<MemorySegment> ring = new AtomicReference<>();
    private final AtomicReference<MemorySegment> otherRing = new AtomicReference<>();
    private final RdmaRuntime client = Runtimes.open();
    private final NicContext nic = NicContext.open(
            NicConfig.DEFAULTS.withProvider("soft", Map.of("soft.addresses", "127.0.0.1", "soft.port", "0")));
    private final UdTransport ud = UdTransport.open(nic, UdConfig.DEFAULTS);
    private final RcTransport rc = RcTransport.open(nic, RcConfig.DEFAULTS);
    private final RdmaRuntime server = RdmaRuntime.create(
            nic,
            ud,
            rc,
            thread("stuck-1"),
            List.of(new EngineConfig(UdConfig.DEFAULTS, RcConfig.DEFAULTS, thread("stuck-2"))),
            MemoryConfig.DEFAULTS,
            Runtimes.PATIENT);

    private static PollingThread thread(String name) {
        return new PollingThread(name, 100, Duration.ofMillis(1));
    }

    @AfterEach
    void close() {
        letGo.countDown();
        client.close();
    }

    private void stick(ServedCall call) throws InterruptedException {
        ring.set(call.memory());
        entered.countDown();
        letGo.await();
        // The arguments and the engine must still exist, whatever was closed meanwhile.
        seen.set("argument " + call.memory().get(ValueLayout.JAVA_INT_UNALIGNED, call.offset()));
        respond(call);
    }

    private void echo(ServedCall call) {
        otherRing.set(call.memory());
        respond(call);
    }

    private static void respond(ServedCall call) {
        MessageBuffer response = call.response(call.length());
        MemorySegment.copy(call.memory(), call.offset(), response.segment(), 0, call.length());
        response.length(call.length());
        call.respond();
    }

    private RpcServer serve() {
        server.threadStopLimit(SOON);
        ServiceContract contract = new ServiceContract(
                "sticky",
                List.of(new ServiceContract.Method(STICK, "stick"), new ServiceContract.Method(ECHO, "echo")),
                List.of());
        server.export(new ServiceExport(
                contract,
                List.of(
                        new ServiceExport.Method(STICK, (BytesHandler) this::stickQuietly, null),
                        new ServiceExport.Method(ECHO, (BytesHandler) this::echo, null))));
        server.start();
        return Runtimes.listen(server);
    }

    private void stickQuietly(ServedCall call) {
        try {
            stick(call);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static RpcCall start(RpcSession session, int method) {
        RpcCall call = session.prepareCall(RpcCall.End.NONE);
        MessageBuffer request = call.request(Integer.BYTES);
        request.segment().set(ValueLayout.JAVA_INT, 0, 77);
        request.length(Integer.BYTES);
        call.start(method, Runtimes.LONG.toNanos());
        return call;
    }

    @Test
    @DisplayName("does not prevent the runtime from closing; the resources that it uses close only after its return")
    void whenAHandlerIsStuckThenClosingEndsAndItsMemoryStaysOpen() throws InterruptedException {
        RpcServer listening = serve();
        RpcChannel first = Runtimes.channel(client, listening);
        RpcChannel second = Runtimes.channel(client, listening);
        RpcCall stuck = start(first.session(Runtimes.LONG), STICK);
        entered.await();
        RpcCall other = start(second.session(Runtimes.LONG), ECHO);
        Runtimes.await("the end of the other call", other::hasEnded);
        other.close();

        server.close();
        rc.close();
        ud.close();
        nic.close();

        assertThat(ring.get().scope().isAlive())
                .as("the ring of the stuck engine")
                .isTrue();
        Runtimes.await("the end of the stuck call", stuck::hasEnded);
        stuck.close();

        letGo.countDown();
        Runtimes.await("the ring to be closed", () -> !ring.get().scope().isAlive());
        assertThat(seen.get()).isEqualTo("argument 77");
        Runtimes.await("all memory to be released", () -> server.registeredBytes() == 0);
    }

    @Test
    @DisplayName("on one engine keeps the NIC objects of the other engines open, until all are closed in order")
    void whenAHandlerIsStuckThenTheOtherEnginesWaitToo() throws InterruptedException {
        RpcServer listening = serve();
        RpcCall other = start(Runtimes.channel(client, listening).session(Runtimes.LONG), ECHO);
        Runtimes.await("the end of the other call", other::hasEnded);
        RpcCall stuck = start(Runtimes.channel(client, listening).session(Runtimes.LONG), STICK);
        entered.await();

        server.close();
        rc.close();
        ud.close();
        nic.close();

        assertThat(otherRing.get()).isNotEqualTo(ring.get());
        assertThat(otherRing.get().scope().isAlive()).isTrue();
        letGo.countDown();
        Runtimes.await("the stuck ring to be closed", () -> !ring.get().scope().isAlive());
        Runtimes.await(
                "the other ring to be closed", () -> !otherRing.get().scope().isAlive());
        Runtimes.await("all memory to be released", () -> server.registeredBytes() == 0);
        stuck.close();
        other.close();
    }

    @Test
    @DisplayName("prevents its runtime from starting again until it has returned, and the failure has its stack")
    void whenAHandlerIsStuckThenTheRuntimeDoesNotStartAgain() throws InterruptedException {
        RpcServer listening = serve();
        RpcCall stuck = start(Runtimes.channel(client, listening).session(Runtimes.LONG), STICK);
        entered.await();
        server.stop(Duration.ZERO);

        assertThatIllegalStateException()
                .isThrownBy(server::start)
                .withMessageContaining("has not returned")
                .withMessageContaining(StuckHandlerTest.class.getName());

        letGo.countDown();
        Runtimes.await("the runtime to start again", () -> starts(server));
        stuck.close();
        server.close();
        rc.close();
        ud.close();
        nic.close();
        assertThat(ring.get().scope().isAlive()).isFalse();
    }

    private static boolean starts(RdmaRuntime runtime) {
        try {
            runtime.start();
            return true;
        } catch (IllegalStateException e) {
            return false;
        }
    }
}
