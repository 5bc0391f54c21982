package io.rdmarpc.rpc.runtime;

import io.rdmarpc.memory.BuddyArena;
import io.rdmarpc.memory.BuddyArenaConfig;
import io.rdmarpc.memory.MemoryBudget;
import io.rdmarpc.memory.MemoryConfig;
import io.rdmarpc.memory.MemoryStatistics;
import io.rdmarpc.memory.PageSource;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.control.ControlParts;
import io.rdmarpc.rpc.control.ControlPlane;
import io.rdmarpc.rpc.control.FallbackParts;
import io.rdmarpc.rpc.engine.server.MethodTable;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.transport.RcConfig;
import io.rdmarpc.transport.RcTransport;
import io.rdmarpc.transport.UdConfig;
import io.rdmarpc.transport.UdTransport;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a runtime. If one part cannot be created, the earlier ones are closed again, and so is the second NIC,
 * which the runtime owns. The first NIC remains with its owner.
 */
final class RuntimeParts {

    /**
     * The NIC of a runtime and its first engine's transports, with a task that closes them if the runtime owns them.
     */
    record First(
            NicContext nic,
            UdTransport ud,
            RcTransport rc,
            @Nullable PollingThread thread,
            Runnable close) {}

    /** Engines may be added while other threads read. */
    private final List<Engine> engines = new CopyOnWriteArrayList<>();

    /** Without the engine of the fallback path. */
    private final List<Engine> ofFirstNic = new CopyOnWriteArrayList<>();

    private final List<BuddyArena> arenas = new ArrayList<>();
    private final MethodTable methods = new MethodTable();
    private final MemoryConfig memory;
    private final RpcConfig config;
    private final MemoryBudget budget;
    private volatile @Nullable Thread blockingThread;
    private final ExecutorService blocking = blockingExecutor();
    private final ControlPlane plane;
    private final ControlThread controlThread;
    private final EngineScaler scaler;
    private final Shutdown shutdown;
    /** Tasks that close the parts, the last part first. */
    private final Deque<Runnable> closers = new ArrayDeque<>();

    RuntimeParts(
            First first,
            List<EngineConfig> more,
            MemoryConfig memory,
            RpcConfig config,
            EngineScaling scaling,
            @Nullable FallbackNic fallback) {
        this.memory = memory;
        this.config = config;
        this.budget = new MemoryBudget(memory.maxBytes());
        closers.push(blocking::shutdown);
        if (fallback != null) {
            closers.push(fallback.nic()::close);
        }
        try {
            int maxEngines = EngineLimit.of(first.nic()).check(1 + more.size(), scaling.maxEngines());
            Engine.Shared shared = shared(first.nic());
            add(new Engine(shared, first.ud(), first.rc(), first.nic().completionChannel(), first.thread(), () -> {}));
            more.forEach(engine -> add(Engine.open(shared, engine)));
            List<ControlParts> paths = engines.stream()
                    .map(engine -> controlParts(first.nic(), engine))
                    .toList();
            ofFirstNic.addAll(engines);
            FallbackParts fallbackParts = fallback == null ? null : openFallback(fallback);
            this.plane = new ControlPlane(paths, fallbackParts);
            plane.maxEngines(maxEngines);
            this.scaler = new EngineScaler(ofFirstNic, maxEngines, plane, blocking, opener(shared, scaling));
            this.controlThread = new ControlThread(plane, () -> engines.forEach(Engine::supervise));
            this.shutdown = new Shutdown(
                    engines,
                    plane,
                    controlThread,
                    scaler,
                    blocking,
                    arenas,
                    fallback == null ? first.close() : fallback.closingBefore(first.close()));
        } catch (RuntimeException | Error e) {
            undo(e);
            throw e;
        }
    }

    /** Creates the parts with defaults, on a NIC that the runtime owns from now on. */
    static RuntimeParts open(NicContext nic, RpcConfig config, PollingConfig polling) {
        UdTransport ud = null;
        RcTransport rc = null;
        try {
            ud = UdTransport.open(nic, UdConfig.DEFAULTS);
            rc = RcTransport.open(nic, RcConfig.DEFAULTS);
            String name = "rdma-poll-" + nic.deviceName();
            List<PollingThread> threads = polling.threads(name);
            Runnable closeTransports = Engine.closing(rc, ud, null);
            First first = new First(nic, ud, rc, threads.isEmpty() ? null : threads.getFirst(), () -> {
                closeTransports.run();
                nic.close();
            });
            List<EngineConfig> more = threads.stream()
                    .skip(1)
                    .map(thread -> new EngineConfig(UdConfig.DEFAULTS, RcConfig.DEFAULTS, thread))
                    .toList();
            EngineScaling scaling = EngineScaling.of(polling, name, UdConfig.DEFAULTS, RcConfig.DEFAULTS);
            return new RuntimeParts(first, more, MemoryConfig.DEFAULTS, config, scaling, null);
        } catch (RuntimeException | Error e) {
            Engine.closing(rc, ud, null).run();
            nic.close();
            throw e;
        }
    }

    private EngineScaler.Opener opener(Engine.Shared shared, EngineScaling scaling) {
        return new EngineScaler.Opener() {

            @Override
            public Engine open(int number) {
                return Engine.open(shared, scaling.configs().apply(number));
            }

            @Override
            public void add(Engine engine) {
                engine.start();
                engines.add(engine);
                ofFirstNic.add(engine);
            }

            @Override
            public ControlParts partsOf(Engine engine) {
                return controlParts(shared.nic(), engine);
            }
        };
    }

    private void undo(Throwable why) {
        for (Runnable step : closers) {
            try {
                step.run();
            } catch (RuntimeException e) {
                why.addSuppressed(e);
            }
        }
    }

    private Engine add(Engine engine) {
        engines.add(engine);
        closers.push(engine::close);
        return engine;
    }

    private Engine.Shared shared(NicContext nic) {
        BuddyArena arena = arenaOn(nic);
        arenas.add(arena);
        closers.push(arena::close);
        return new Engine.Shared(nic, budget, arena, methods, config, blocking);
    }

    private BuddyArena arenaOn(NicContext nic) {
        return new BuddyArena(
                nic.protectionDomain(),
                budget,
                new BuddyArenaConfig(
                                BuddyArenaConfig.DEFAULT.minBlockBytes(),
                                memory.chunkBytes(),
                                BuddyArenaConfig.DEFAULT.maxBlockBytes())
                        .withMaxBlockBytes(config.maxMessageBytes()),
                memory.hugePages() ? PageSource.hugePages(nic.context()) : PageSource.of(nic.context()));
    }

    private FallbackParts openFallback(FallbackNic fallback) {
        Engine engine = add(
                Engine.open(shared(fallback.nic()), new EngineConfig(fallback.ud(), fallback.rc(), fallback.thread())));
        return new FallbackParts(controlParts(fallback.nic(), engine), fallback.forClients(), fallback.forServer());
    }

    private ControlParts controlParts(NicContext nic, Engine engine) {
        return new ControlParts(nic, engine.ud(), engine.rc(), engine.loop(), methods, config, budget, blocking);
    }

    /**
     * Creates an executor with a single thread, so that the verbs that create and modify objects run one after the
     * other.
     */
    private ExecutorService blockingExecutor() {
        return Executors.newSingleThreadExecutor(task -> {
            Thread made = Thread.ofPlatform().name("rdma-control").daemon().unstarted(task);
            blockingThread = made;
            return made;
        });
    }

    /**
     * Returns whether the calling thread is needed to stop the runtime. Such a thread must not wait for the end of the
     * stop.
     */
    boolean isOwnThread() {
        return controlThread.isCurrent()
                || Thread.currentThread().equals(blockingThread)
                || engines.stream().anyMatch(engine -> engine.loop().ownership().isMine());
    }

    List<Engine> engines() {
        return engines;
    }

    Engine engineOfFirstNic(int number) {
        return ofFirstNic.get(number);
    }

    MethodTable methods() {
        return methods;
    }

    MemoryBudget budget() {
        return budget;
    }

    ControlPlane plane() {
        return plane;
    }

    EngineScaler scaler() {
        return scaler;
    }

    ControlThread controlThread() {
        return controlThread;
    }

    Shutdown shutdown() {
        return shutdown;
    }

    /** Returns the sum over all NICs. */
    MemoryStatistics memory() {
        return Stream.concat(
                        arenas.stream().map(BuddyArena::statistics),
                        engines.stream().map(Engine::packetMemory))
                .reduce(MemoryStatistics::plus)
                .orElseThrow();
    }
}
