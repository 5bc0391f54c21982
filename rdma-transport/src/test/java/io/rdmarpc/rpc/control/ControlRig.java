package io.rdmarpc.rpc.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.concurrent.FakeClock;
import io.rdmarpc.concurrent.LoopOwnership;
import io.rdmarpc.memory.BuddyArena;
import io.rdmarpc.memory.BuddyArenaConfig;
import io.rdmarpc.memory.MemoryBudget;
import io.rdmarpc.memory.SlabPool;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.config.ControlConfig;
import io.rdmarpc.rpc.config.RetransmitConfig;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.control.auth.Nonces;
import io.rdmarpc.rpc.control.limit.ReceiveBudget;
import io.rdmarpc.rpc.control.net.ControlLoop;
import io.rdmarpc.rpc.engine.EngineParts;
import io.rdmarpc.rpc.engine.EventLoop;
import io.rdmarpc.rpc.engine.server.MethodTable;
import io.rdmarpc.rpc.wire.ControlCodec;
import io.rdmarpc.rpc.wire.ControlMessage;
import io.rdmarpc.rpc.wire.Id128;
import io.rdmarpc.transport.FakeNic;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.transport.RcConfig;
import io.rdmarpc.transport.RcTransport;
import io.rdmarpc.transport.UdConfig;
import io.rdmarpc.transport.UdEndpoint;
import io.rdmarpc.transport.UdTransport;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.PathMtu;
import java.net.Inet4Address;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The control side of a runtime on one thread: a fake NIC, a clock that tests control, wires that are lists. */
final class ControlRig {

    static final int WINDOW = 4;
    static final int RING = 256;
    static final ServiceContract CONTRACT =
            new ServiceContract("s", List.of(new ServiceContract.Method(7, "void a()")), List.of());
    static final UdEndpoint ENDPOINT = new UdEndpoint(Gid.of(Inet4Address.ofLiteral("10.0.0.2")), 0, 0x77, 0x1234);

    final FakeNic nic = new FakeNic(PathMtu.MTU_1024);
    final FakeClock clock =
            new FakeClock(Long.MAX_VALUE - Duration.ofSeconds(20).toNanos());
    final MemoryBudget memory = new MemoryBudget(64 << 20);
    final ControlContext context;
    final EventLoop engine;
    private final ReceiveBudget ring;
    private final RpcConfig config;
    private boolean blocking;
    /** Number of times that a connection was excluded from further sessions. */
    int retired;

    private final @Nullable ControlParts second;
    /** Engines that were added to the first one. */
    private final List<ControlParts> added = new ArrayList<>();

    ControlRig() {
        this(ControlConfig.DEFAULTS);
    }

    ControlRig(ControlConfig control) {
        this(control, null);
    }

    /** Creates a rig with a fallback path for clients, on a NIC of a provider. */
    ControlRig(ControlConfig control, @Nullable String secondProvider) {
        config = config(control);
        ControlParts first = parts(nic.open());
        engine = first.loop();
        second = secondProvider == null ? null : parts(new FakeNic(PathMtu.MTU_1024).open(secondProvider));
        context = new ControlContext(
                new ControlLoop(clock), List.of(first), second == null ? null : new FallbackParts(second, false, true));
        ring = context.placement.engine(0).budget();
    }

    private static RpcConfig config(ControlConfig control) {
        return RpcConfig.DEFAULTS.toBuilder()
                .maxInFlight(WINDOW)
                .maxQueued(16)
                .maxMessageBytes(1 << 20)
                .maxLentPerSession(1 << 20)
                .retransmit(RetransmitConfig.DEFAULTS.withMaxAttempts(5))
                .control(control)
                .build();
    }

    private ControlParts parts(NicContext open) {
        UdTransport ud = UdTransport.open(open, new UdConfig(64, RING, 64));
        RcTransport rc = RcTransport.open(open, RcConfig.DEFAULTS);
        SlabPool slab = new SlabPool(open.protectionDomain(), memory, 1024, 64);
        slab.grow();
        BuddyArena arena =
                new BuddyArena(open.protectionDomain(), memory, new BuddyArenaConfig(4096, 1 << 20, 1 << 20));
        MethodTable methods = new MethodTable();
        methods.add(new ServiceExport(CONTRACT, List.of(new ServiceExport.Method(7, request -> {}, null))));
        EventLoop loop = new EventLoop(
                new EngineParts(ud, rc, slab, arena, methods), config, clock, Runnable::run, new LoopOwnership());
        return new ControlParts(open, ud, rc, loop, methods, config, memory, this::runBlocking);
    }

    private void runBlocking(Runnable task) {
        boolean before = blocking;
        blocking = true;
        try {
            task.run();
        } finally {
            blocking = before;
        }
    }

    /** Returns whether the current code runs on the blocking executor and not on the control thread. */
    boolean isBlocking() {
        return blocking;
    }

    /** Runs the due work of the engine and the control thread. */
    void turn() {
        for (int i = 0; i < 3; i++) {
            engine.doWork();
            if (second != null) {
                second.loop().doWork();
            }
            added.forEach(parts -> parts.loop().doWork());
            context.loop.doWorkNow();
        }
    }

    /** Adds an engine on the first NIC. It is not active. */
    void addEngine() {
        ControlParts parts = parts(nic.open());
        added.add(parts);
        context.placement.add(parts);
    }

    /** Returns the number of sessions of clients on each engine, the first one first. */
    List<Integer> serverSessionsByEngine() {
        return IntStream.range(0, context.placement.count())
                .mapToObj(number -> context.placement.engine(number).parts().loop())
                .map(loop -> loop.gauges().statistics().serverSessions())
                .toList();
    }

    /** Measures the load of the engines. */
    void measure(double... utilization) {
        context.placement.measured(
                utilization, () -> context.sessions().stream().map(ServerControl.class::cast), clock.nanoTime());
        turn();
    }

    void pass(Duration time) {
        clock.advance(time);
        turn();
    }

    /** Accepts a client's connection at the server. */
    ServerConnection accept(MemoryWire wire) {
        ServerConnection connection = new ServerConnection(context, () -> false, () -> {});
        connection.accepted(wire, Duration.ofSeconds(5));
        connection.onConnected();
        return connection;
    }

    /** Accepts a client's connection that has received WELCOME. */
    ServerConnection welcomed(MemoryWire wire) {
        ServerConnection connection = accept(wire);
        say(connection, hello());
        assertThat(wire.takeSent()).singleElement().isInstanceOf(ControlMessage.Welcome.class);
        return connection;
    }

    /** Opens a connection to a server. */
    ClientConnection connect(MemoryWire wire) {
        ClientConnection connection = new ClientConnection(context, wire.remoteAddress(), () -> retired++, () -> {});
        connection.start(wire, Duration.ofSeconds(5));
        connection.onConnected();
        return connection;
    }

    CompletableFuture<ClientControl> open(ClientConnection connection) {
        CompletableFuture<ClientControl> opened = new CompletableFuture<>();
        ClientControl.open(context, 0, connection, Duration.ofSeconds(5), opened);
        return opened;
    }

    void say(ControlConnection to, ControlMessage message) {
        to.onBytes(ByteBuffer.wrap(ControlCodec.encode(message)));
        turn();
    }

    static ControlMessage.Hello hello() {
        return new ControlMessage.Hello(ControlCodec.VERSION, 3_000, Id128.random(), Nonces.random());
    }

    static ControlMessage.Welcome welcome() {
        return new ControlMessage.Welcome(ControlCodec.VERSION, 3_000, Id128.random(), Nonces.random(), false, "fake");
    }

    static ControlMessage.Open open(int link, Id128 token) {
        return new ControlMessage.Open(link, token, "fake", ENDPOINT, 5, WINDOW, PathMtu.MTU_1024, 1 << 20, false);
    }

    /** An OPEN of a client on a NIC of a provider. */
    static ControlMessage.Open open(int link, String provider) {
        return new ControlMessage.Open(
                link, Id128.random(), provider, ENDPOINT, 5, WINDOW, PathMtu.MTU_1024, 1 << 20, false);
    }

    static ControlMessage.Open open(int link) {
        return open(link, Id128.random());
    }

    static ControlMessage.Opened opened(int link) {
        return new ControlMessage.Opened(link, ENDPOINT, 3, 99, WINDOW, PathMtu.MTU_1024, 1 << 20);
    }

    int serverSessions() {
        return engine.gauges().statistics().serverSessions();
    }

    int clientSessions() {
        return engine.gauges().statistics().clientSessions();
    }

    int ringEntriesReserved() {
        return ring.reserved();
    }

    /** Verifies that nothing is left behind. */
    void assertNothingLeft() {
        pass(Duration.ofSeconds(10));
        assertThat(context.sessions()).as("sessions").isEmpty();
        assertThat(serverSessions() + clientSessions())
                .as("sessions of the engine")
                .isZero();
        assertThat(ring.reserved()).as("entries of the receive ring").isZero();
        assertThat(context.peers.size()).as("accounts of peers").isZero();
        assertThat(context.handshakes.count()).as("pending handshakes").isZero();
        assertThat(context.failures())
                .as("exceptions out of the handling of messages")
                .isZero();
        assertThat(nic.violations()).isEmpty();
    }
}
