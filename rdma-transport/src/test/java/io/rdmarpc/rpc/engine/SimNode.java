package io.rdmarpc.rpc.engine;

import io.rdmarpc.concurrent.FakeClock;
import io.rdmarpc.concurrent.LoopOwnership;
import io.rdmarpc.memory.BuddyArena;
import io.rdmarpc.memory.BuddyArenaConfig;
import io.rdmarpc.memory.MemoryBudget;
import io.rdmarpc.memory.SlabPool;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.config.RetransmitConfig;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.config.TrafficConfig;
import io.rdmarpc.rpc.engine.context.EngineCounters.Drop;
import io.rdmarpc.rpc.engine.server.MethodTable;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.transport.RcConfig;
import io.rdmarpc.transport.RcTransport;
import io.rdmarpc.transport.TestNics;
import io.rdmarpc.transport.UdConfig;
import io.rdmarpc.transport.UdEndpoint;
import io.rdmarpc.transport.UdTransport;
import io.rdmarpc.verbs.soft.SimulatedNetwork;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A process of a {@link Simulation}: an engine on a software RNIC, and the queued work of its other threads. */
final class SimNode {

    static final int ON_ENGINE = 1;
    static final int ON_EXECUTOR = 2;
    static final int STREAM = 3;
    static final int MAX_MESSAGE = 300_000;
    private static final RetransmitConfig RETRANSMIT =
            new RetransmitConfig(Duration.ofMillis(5), Duration.ofMillis(5), Duration.ofMillis(200), 10);

    private static final int SLAB_BLOCKS = 32;

    /** Number of entries of its receive ring. */
    final int ring;

    final SimulatedNetwork.Nic link;
    final NicContext nic;
    final UdTransport ud;
    final RcTransport rc;
    final MemoryBudget budget = new MemoryBudget(64 << 20);
    final SlabPool slab;
    final BuddyArena arena;
    final EventLoop loop;
    /** Blocking steps: registration of memory. */
    final ArrayDeque<Runnable> blocking = new ArrayDeque<>();
    /** Methods that were handed to an executor. */
    final ArrayDeque<Runnable> workers = new ArrayDeque<>();
    /** Work of control threads. */
    final ArrayDeque<Runnable> control = new ArrayDeque<>();
    /** The process's requests and responses. */
    final SimService service;

    /** The call whose caller runs the loop occasionally. */
    @Nullable
    SimCall waited;

    SimNode(
            Simulation simulation,
            SimulatedNetwork network,
            int port,
            LinkFaults faults,
            int mtu,
            int ring,
            TrafficConfig traffic,
            FakeClock clock) {
        this.ring = ring;
        link = network.open(port, faults);
        nic = TestNics.open(link.context(), mtu);
        ud = UdTransport.open(nic, new UdConfig(32, ring, UdConfig.AUTO_INLINE));
        rc = RcTransport.open(nic, new RcConfig(8, 4, 12, 7));
        slab = new SlabPool(nic.protectionDomain(), budget, mtu, SLAB_BLOCKS);
        slab.grow();
        arena = new BuddyArena(
                nic.protectionDomain(),
                budget,
                new BuddyArenaConfig(4096, 1 << 16, 1 << 16).withMaxBlockBytes(MAX_MESSAGE));
        service = new SimService(simulation);
        MethodTable methods = new MethodTable();
        methods.add(export("test.OnEngine", new ServiceExport.Method(ON_ENGINE, service, null)));
        methods.add(export("test.OnExecutor", new ServiceExport.Method(ON_EXECUTOR, service, workers::add)));
        methods.add(export(
                "test.Stream",
                new ServiceExport.Method(STREAM, request -> simulation.acceptStream(this, request), null)));
        loop = new EventLoop(
                new EngineParts(ud, rc, slab, arena, methods),
                config(traffic),
                clock,
                blocking::add,
                new LoopOwnership());
    }

    private static ServiceExport export(String name, ServiceExport.Method method) {
        ServiceContract.Method signature = new ServiceContract.Method(method.id(), "method " + method.id());
        return new ServiceExport(new ServiceContract(name, List.of(signature), List.of()), List.of(method));
    }

    private static RpcConfig config(TrafficConfig traffic) {
        return RpcConfig.DEFAULTS.toBuilder()
                .maxInFlight(SimSession.MAX_WINDOW)
                .maxQueued(6)
                .maxMessageBytes(MAX_MESSAGE)
                .retransmit(RETRANSMIT)
                .traffic(traffic)
                .build();
    }

    UdEndpoint endpoint() {
        return ud.endpoint(nic.gid());
    }

    long dropped(Drop reason) {
        return loop.gauges().statistics().drops().get(reason.name().toLowerCase(Locale.ROOT));
    }

    int postedReceives() {
        return link.postedReceives(endpoint().qpn());
    }

    int reservedReceives() {
        return ud.reservedReceives();
    }

    /** Runs one step of another thread; returns false if there is none. */
    static boolean runOne(ArrayDeque<Runnable> tasks) {
        Runnable task = tasks.poll();
        if (task != null) {
            task.run();
        }
        return task != null;
    }

    /** Runs all steps of other threads now; returns false if there was none. */
    boolean runOthers() {
        boolean any = false;
        while (runOne(blocking) || runOne(workers) || runOne(control)) {
            any = true;
        }
        return any;
    }

    /** Returns the number of memory blocks for messages that are in use. */
    int blocksInUse() {
        return slab.statistics().blocksInUse() + arena.statistics().blocksInUse();
    }

    /** Closes the components of the engine, whose sessions have ended. */
    void close() {
        ud.close();
        rc.close();
        slab.close();
        arena.close();
        nic.close();
    }
}
