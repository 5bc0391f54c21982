package io.rdmarpc.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.concurrent.FakeClock;
import io.rdmarpc.concurrent.LoopOwnership;
import io.rdmarpc.memory.BuddyArena;
import io.rdmarpc.memory.BuddyArenaConfig;
import io.rdmarpc.memory.LendingPool;
import io.rdmarpc.memory.MemoryBudget;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.memory.SlabPool;
import io.rdmarpc.rpc.RequestHandler;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.SessionInfo;
import io.rdmarpc.rpc.config.LoadLimits;
import io.rdmarpc.rpc.config.RetransmitConfig;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.config.TrafficConfig;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.context.EngineCounters.Drop;
import io.rdmarpc.rpc.engine.server.MethodTable;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.engine.session.EngineSession;
import io.rdmarpc.rpc.engine.session.SessionHost;
import io.rdmarpc.rpc.engine.session.SessionTerms;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.MessageOrigin;
import io.rdmarpc.rpc.wire.ControlCodec;
import io.rdmarpc.transport.FakeNic;
import io.rdmarpc.transport.FakeShmChannel;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.transport.RcConfig;
import io.rdmarpc.transport.RcConnection;
import io.rdmarpc.transport.RcEndpoint;
import io.rdmarpc.transport.RcTransport;
import io.rdmarpc.transport.UdConfig;
import io.rdmarpc.transport.UdEndpoint;
import io.rdmarpc.transport.UdTransport;
import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.PathMtu;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * An engine on a {@link FakeNic}, without threads or network, and with the test's clock. The test is the peer: it
 * delivers packets, checks those that are sent, and runs the loop. {@link #close} checks that an engine whose sessions
 * have ended holds no resources.
 */
final class EngineRig implements AutoCloseable {

    static final int WINDOW = 4;
    static final int BACKLOG = 8;
    static final int MTU = 1024;
    static final int MAX_MESSAGE = 1_000_000;
    static final int RING = 128;
    static final int RETRANSMIT_LIMIT = 5;
    static final Duration RETRANSMIT_TIMEOUT = Duration.ofMillis(20);
    static final Duration TICK = Duration.ofMillis(1);

    /** First request index of slot 1. */
    static final long FIRST = WINDOW + 1;

    static final Gid PEER_GID = Gid.of(Inet4Address.ofLiteral("10.0.0.2"));
    static final int PEER_QPN = 0x77;
    static final MessageOrigin ORIGIN = new MessageOrigin("a peer", "its connection");
    static final int PEER_SESSION = 0x0BAD_CAFE;
    static final UdEndpoint PEER = new UdEndpoint(PEER_GID, 0, PEER_QPN, 0x1234);

    /** A method that responds with its arguments, on the engine's thread. */
    static final int ECHO = 1;
    /** A method that keeps the call in {@link #held}. */
    static final int HOLD = 2;

    private static final int SLAB_BLOCKS = 64;
    private static final long COOKIE = 0x1122_3344_5566_7788L;

    final FakeNic nic;
    final FakeClock clock = new FakeClock(Long.MAX_VALUE - Duration.ofSeconds(5).toNanos());
    final MemoryBudget budget;
    final SlabPool slab;
    final BuddyArena arena;
    final EventLoop loop;
    final List<RpcRequest> held = new ArrayList<>();
    private final NicContext context;
    private final UdTransport ud;
    private final RcTransport rc;
    private final ArrayDeque<Runnable> blocking = new ArrayDeque<>();
    private final MethodTable methods = new MethodTable();
    private final List<Host> hosts = new ArrayList<>();
    private Runnable beforeNow = () -> {};
    private boolean failures;
    private @Nullable Error blockingFault;
    /** Protocol version of the sessions that are added from now on. */
    int protocolVersion = ControlCodec.VERSION;
    /** Number of wake-ups of the thread that runs the loop. */
    int wakeUps;

    EngineRig() {
        this(64 << 20);
    }

    EngineRig(long budgetBytes) {
        this(budgetBytes, false, false);
    }

    EngineRig(LoadLimits load) {
        this(64 << 20, false, false, load, RETRANSMIT_LIMIT, newNic());
    }

    /**
     * Creates a rig, optionally with batching. Without batching each message is a packet of its own, which is easier to
     * check.
     */
    EngineRig(long budgetBytes, boolean batching) {
        this(budgetBytes, batching, false);
    }

    EngineRig(long budgetBytes, boolean batching, boolean congestionControl) {
        this(budgetBytes, batching, congestionControl, LoadLimits.NONE, RETRANSMIT_LIMIT, newNic());
    }

    private EngineRig(
            long budgetBytes,
            boolean batching,
            boolean congestionControl,
            LoadLimits load,
            int retransmitLimit,
            FakeNic nic) {
        this.nic = nic;
        context = nic.open();
        ud = UdTransport.open(context, new UdConfig(64, RING, 64));
        rc = RcTransport.open(context, RcConfig.DEFAULTS);
        budget = new MemoryBudget(budgetBytes);
        slab = new SlabPool(context.protectionDomain(), budget, MTU, SLAB_BLOCKS);
        slab.grow();
        arena = new BuddyArena(
                context.protectionDomain(),
                budget,
                new BuddyArenaConfig(4096, 1 << 20, 1 << 20).withMaxBlockBytes(MAX_MESSAGE));
        RpcConfig config = RpcConfig.DEFAULTS.toBuilder()
                .maxInFlight(WINDOW)
                .maxQueued(BACKLOG)
                .maxMessageBytes(MAX_MESSAGE)
                .retransmit(new RetransmitConfig(
                        RETRANSMIT_TIMEOUT,
                        RetransmitConfig.DEFAULTS.minTimeout(),
                        RetransmitConfig.DEFAULTS.maxTimeout(),
                        retransmitLimit))
                .traffic(new TrafficConfig(batching, congestionControl))
                .load(load)
                .build();
        loop = new EventLoop(
                new EngineParts(ud, rc, slab, arena, methods),
                config,
                this::now,
                this::later,
                new LoopOwnership(() -> wakeUps++));
        serve(ECHO, EngineRig::echo, null);
        serve(HOLD, held::add, null);
    }

    /** Creates a rig that uses the default retransmission limit, so that its sessions survive losses. */
    static EngineRig patient() {
        return new EngineRig(64 << 20, false, false, LoadLimits.NONE, RetransmitConfig.DEFAULT_MAX_ATTEMPTS, newNic());
    }

    /** Creates a rig whose peer can send through shared memory. */
    static EngineRig with(FakeShmChannel channel) {
        return new EngineRig(64 << 20, false, false, LoadLimits.NONE, RETRANSMIT_LIMIT, newNic().with(channel));
    }

    private static FakeNic newNic() {
        return new FakeNic(PathMtu.ofBytes(MTU));
    }

    private void later(Runnable step) {
        Error fault = blockingFault;
        if (fault != null) {
            throw fault;
        }
        blocking.add(step);
    }

    /** Sets what submitting to the blocking executor throws, null for nothing. */
    void failBlocking(@Nullable Error fault) {
        blockingFault = fault;
    }

    private long now() {
        Runnable step = beforeNow;
        beforeNow = () -> {};
        step.run();
        return clock.nanoTime();
    }

    /** Runs a step once, when the engine next reads the clock, for example in the middle of a call. */
    void whenTheClockIsRead(Runnable step) {
        beforeNow = step;
    }

    /**
     * The control side of a session. Like a control thread, it closes its resources when the engine has released the
     * session.
     */
    final class Host implements SessionHost {

        final LendingPool lending = new LendingPool(context.protectionDomain(), budget, Runnable::run);
        final AddressHandle handle = context.createAddressHandle(context.gid(), PEER_GID, 0);
        final List<String> broken = new ArrayList<>();
        int connectionsWanted;
        int stops;
        int drained;
        boolean removed;

        @Nullable
        EngineSession session;

        private @Nullable RcConnection connection;

        private final MessageOrigin origin;

        Host(MessageOrigin origin) {
            this.origin = origin;
        }

        private SessionTerms terms(int id) {
            SessionInfo info = new SessionInfo("peer:1", "fake", "fake0", MTU, WINDOW, MAX_MESSAGE);
            return new SessionTerms(
                    id, PEER_SESSION, COOKIE + hosts.size(), PEER, handle, lending, origin, info, protocolVersion);
        }

        @Override
        public void connectionWanted() {
            connectionsWanted++;
        }

        @Override
        public void broken(String reason) {
            broken.add(reason);
        }

        @Override
        public void serverStops() {
            stops++;
        }

        @Override
        public void drained() {
            drained++;
            if (connection != null) {
                connection.close();
            }
            handle.close();
            lending.close();
        }
    }

    ServerSession server() {
        return server(ORIGIN);
    }

    /** Creates a session with that source of large messages. */
    ServerSession server(MessageOrigin origin) {
        Host host = new Host(origin);
        ServerSession session =
                loop.sessions().newServer(host.terms(loop.sessions().reserveServerId()), host);
        boolean[] added = new boolean[1];
        enlist(host, session);
        loop.sessions().add(session, () -> added[0] = true);
        loop.doWork();
        assertThat(added[0]).isTrue();
        return session;
    }

    ClientSession client() {
        ClientSession session = addClient();
        loop.doWork();
        return session;
    }

    /** Adds a client session without running the loop. */
    ClientSession addClient() {
        Host host = new Host(ORIGIN);
        ClientSession session =
                loop.sessions().newClient(host.terms(loop.sessions().reserveClientId()), host);
        // Tests of other features need not acquire their credits first.
        session.credits.own(WINDOW);
        enlist(host, session);
        loop.sessions().add(session);
        return session;
    }

    private void enlist(Host host, EngineSession session) {
        host.session = session;
        hosts.add(host);
    }

    Host hostOf(EngineSession session) {
        return hosts.stream()
                .filter(host -> session.equals(host.session))
                .findFirst()
                .orElseThrow();
    }

    void serve(int method, RequestHandler handler, @Nullable Executor executor) {
        String signature = "method " + method;
        methods.add(new ServiceExport(
                new ServiceContract(
                        "test.Service" + method, List.of(new ServiceContract.Method(method, signature)), List.of()),
                List.of(new ServiceExport.Method(method, handler, executor))));
    }

    static void echo(RpcRequest request) {
        respond(request, request.message().payload().toArray(ValueLayout.JAVA_BYTE));
    }

    static void respond(RpcRequest request, byte[] response) {
        request.respond(filled(request.allocate(response.length), response));
    }

    static MessageBuffer filled(MessageBuffer buffer, byte[] bytes) {
        MemorySegment.copy(bytes, 0, buffer.segment(), ValueLayout.JAVA_BYTE, 0, bytes.length);
        buffer.length(bytes.length);
        return buffer;
    }

    static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i * 31 + length);
        }
        return bytes;
    }

    /** Calls a method; the result records how the call ended. */
    TestCall call(ClientSession session, byte[] arguments, Duration timeout) {
        TestCall call = new TestCall();
        session.call(ECHO, filled(session.allocate(arguments.length), arguments), timeout.toNanos(), call);
        return call;
    }

    TestCall call(ClientSession session, byte[] arguments) {
        return call(session, arguments, Duration.ofMinutes(1));
    }

    /** Delivers a packet of the peer and runs the loop. */
    void receive(Packet packet) {
        receive(packet.bytes());
    }

    void receive(byte[] packet) {
        nic.receive(packet, PEER_QPN, PEER_GID);
        runLoop();
    }

    /** Runs the loop and the blocking steps, until both are idle. */
    void runLoop() {
        for (int i = 0; i < 100; i++) {
            int work = loop.doWork();
            while (!blocking.isEmpty()) {
                blocking.remove().run();
                work++;
            }
            if (work == 0) {
                return;
            }
        }
        throw new AssertionError("the engine does not become idle");
    }

    /** Allows internal failures of the engine, which the test causes. */
    void expectFailures() {
        failures = true;
    }

    /** Runs that many duty cycles and the blocking steps, whether or not the engine becomes idle. */
    void runCycles(int count) {
        for (int i = 0; i < count; i++) {
            int _ = loop.doWork();
            while (!blocking.isEmpty()) {
                blocking.remove().run();
            }
        }
    }

    /** Like {@link #runCycles} while time passes. */
    void passRunning(Duration time) {
        for (long left = time.toNanos(); left > 0; left -= TICK.toNanos()) {
            clock.advanceNanos(Math.min(left, TICK.toNanos()));
            runCycles(2);
        }
    }

    /** Runs one duty cycle without the blocking steps. */
    void runCycle() {
        loop.doWork();
    }

    /** Advances the time in steps of one tick, so that no timer is skipped. */
    void pass(Duration time) {
        for (long left = time.toNanos(); left > 0; left -= TICK.toNanos()) {
            clock.advanceNanos(Math.min(left, TICK.toNanos()));
            runLoop();
        }
    }

    /** Connects a session's reliable connection. */
    void connect(EngineSession session) {
        RcConnection connection = rc.prepare(context.gid(), context.protectionDomain());
        connection.complete(
                new RcEndpoint(PEER_GID, 0, new RcEndpoint.Half(5, 6), new RcEndpoint.Half(7, 8), 16),
                PathMtu.ofBytes(MTU));
        hostOf(session).connection = connection;
        loop.sessions().connected(session, connection);
        runLoop();
    }

    private static void cancelIfOpen(RpcRequest request) {
        try {
            request.fail(RpcStatus.CANCELLED, "", "the test is over");
        } catch (IllegalStateException e) {
            // The test has responded to it.
        }
    }

    /** Returns the packets that the engine has sent since the last call. */
    List<Packet> sent() {
        return nic.takeSent().stream()
                .map(datagram -> Packet.of(datagram.bytes()))
                .toList();
    }

    /** Returns the only packet that the engine has sent since the last call. */
    Packet onlySent() {
        List<Packet> packets = sent();
        assertThat(packets).hasSize(1);
        return packets.getFirst();
    }

    /** Returns the only READ at the NIC. */
    FakeNic.Read onlyRead() {
        assertThat(nic.reads()).hasSize(1);
        return nic.reads().getFirst();
    }

    /** Returns the bytes that a lent block holds, as the peer would READ them. */
    byte[] lentBytes(Packet packet) {
        return nic.remoteRead(packet.remoteAddress(), packet.length(), packet.rkey());
    }

    long dropped(Drop reason) {
        return loop.gauges().statistics().drops().get(reason.name().toLowerCase(Locale.ROOT));
    }

    long droppedInAll() {
        return loop.gauges().statistics().drops().values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /** Ends a session like its control side. */
    void remove(EngineSession session, String reason) {
        Host host = hostOf(session);
        host.removed = true;
        if (host.connection != null) {
            host.connection.abort();
        }
        loop.sessions().remove(session, reason);
        runLoop();
    }

    /** Returns the number of registered blocks in use. */
    int blocksInUse() {
        return slab.statistics().blocksInUse()
                + arena.statistics().blocksInUse()
                + hosts.stream()
                        .mapToInt(host -> host.lending.statistics().blocksInUse())
                        .sum();
    }

    @Override
    public void close() {
        nic.holdSends(false);
        nic.rejectSends(false);
        nic.completeSends();
        loop.resume();
        held.forEach(EngineRig::cancelIfOpen);
        for (Host host : hosts) {
            if (!host.removed) {
                remove(host.session, "the test is over");
            }
        }
        pass(TICK.multipliedBy(2));
        assertThat(hosts).as("sessions released exactly once").allMatch(host -> host.drained == 1);
        assertThat(blocksInUse()).as("blocks in use").isZero();
        assertThat(loop.gauges().executingCalls()).as("calls being served").isZero();
        assertThat(nic.postedReceives()).as("posted receives").isEqualTo(RING);
        assertThat(dropped(Drop.INTERNAL) > 0)
                .as("failures of the engine itself")
                .isEqualTo(failures);
        loop.shutDown("the test is over");
        ud.close();
        rc.close();
        slab.close();
        arena.close();
        context.close();
        assertThat(nic.violations()).isEmpty();
        assertThat(budget.registeredBytes()).as("registered bytes").isZero();
    }
}
