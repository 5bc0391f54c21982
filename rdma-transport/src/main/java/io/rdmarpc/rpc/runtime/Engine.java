package io.rdmarpc.rpc.runtime;

import io.rdmarpc.concurrent.LoopOwnership;
import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.memory.BuddyArena;
import io.rdmarpc.memory.MemoryBudget;
import io.rdmarpc.memory.MemoryStatistics;
import io.rdmarpc.memory.PageSource;
import io.rdmarpc.memory.SlabPool;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.engine.EngineParts;
import io.rdmarpc.rpc.engine.EventLoop;
import io.rdmarpc.rpc.engine.server.MethodTable;
import io.rdmarpc.rpc.stats.EngineSnapshot;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.transport.RcTransport;
import io.rdmarpc.transport.UdTransport;
import io.rdmarpc.verbs.CompletionChannel;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One event loop of a runtime, with its packet memory and polling thread. Without a polling thread, the application
 * runs the loop.
 */
final class Engine {

    private static final int PACKETS_PER_SLAB = 512;
    private static final int MAX_FRAMES = 20;

    /** The objects that the engines of a runtime share. */
    record Shared(
            NicContext nic,
            MemoryBudget budget,
            BuddyArena arena,
            MethodTable methods,
            RpcConfig config,
            Executor blocking) {}

    private final UdTransport ud;
    private final RcTransport rc;
    private final @Nullable CompletionChannel channel;
    private final @Nullable PollingThread thread;
    private final SlabPool slab;
    private final EventLoop loop;
    private final Runnable closeTransports;
    private final NicContext nic;
    /** Minimum time between two restarts of an engine's thread. */
    private static final long REVIVAL_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private volatile boolean stuck;
    private volatile boolean held;
    /** Used by the control thread only. */
    private long revivedNanos;

    private boolean revived;

    /** Creates an engine on transports of another owner. */
    Engine(
            Shared shared,
            UdTransport ud,
            RcTransport rc,
            @Nullable CompletionChannel channel,
            @Nullable PollingThread thread,
            Runnable closeTransports) {
        this.ud = ud;
        this.rc = rc;
        this.channel = channel;
        this.thread = thread;
        this.closeTransports = closeTransports;
        this.nic = shared.nic();
        this.slab = new SlabPool(
                shared.nic().protectionDomain(),
                shared.budget(),
                shared.nic().pathMtu().bytes(),
                PACKETS_PER_SLAB,
                PageSource.of(shared.nic().context()));
        this.slab.grow();
        this.loop = new EventLoop(
                new EngineParts(ud, rc, slab, shared.arena(), shared.methods()),
                shared.config(),
                NanoClock.SYSTEM,
                shared.blocking(),
                new LoopOwnership());
    }

    /** Opens an engine with its own transports. */
    static Engine open(Shared shared, EngineConfig config) {
        NicContext nic = shared.nic();
        CompletionChannel channel = nic.openCompletionChannel();
        UdTransport ud = null;
        RcTransport rc = null;
        try {
            ud = UdTransport.open(nic, config.ud(), channel);
            rc = RcTransport.open(nic, config.rc(), channel);
            Runnable close = closing(rc, ud, channel);
            return new Engine(shared, ud, rc, channel, config.thread(), close);
        } catch (RuntimeException | Error e) {
            closing(rc, ud, channel).run();
            throw e;
        }
    }

    /** Returns a task that closes the transports, then their channel. */
    static Runnable closing(@Nullable RcTransport rc, @Nullable UdTransport ud, @Nullable CompletionChannel channel) {
        return () -> {
            if (rc != null) {
                rc.close();
            }
            if (ud != null) {
                ud.close();
            }
            if (channel != null) {
                channel.close();
            }
        };
    }

    EventLoop loop() {
        return loop;
    }

    EngineSnapshot snapshot(NicContext nic) {
        return new EngineSnapshot(
                thread == null ? "" : thread.name(),
                thread == null || thread.isAlive(),
                loop.problem(),
                loop.restarts(),
                Duration.ofNanos(loop.gauges().sinceLastCycleNanos()),
                ud.endpoint(nic.gid()).qpn(),
                loop.gauges().statistics(),
                loop.gauges().traffic(),
                loop.gauges().activity());
    }

    MemoryStatistics packetMemory() {
        return slab.statistics();
    }

    UdTransport ud() {
        return ud;
    }

    RcTransport rc() {
        return rc;
    }

    void start() {
        loop.resume();
        loop.ownership().open();
        if (thread != null) {
            thread.start(loop, channel);
        }
    }

    /** Stops the thread and fails the calls that wait in the loop. Returns false if a handler blocks the loop. */
    boolean stop(Duration limit, String reason) {
        boolean stopped =
                (thread == null || thread.stop(limit)) && loop.ownership().close(limit);
        if (stopped) {
            loop.shutDown(reason);
        }
        stuck = !stopped;
        return stopped;
    }

    /**
     * Checks whether the polling thread is alive. If it has died, the engine's calls fail with that reason and the
     * engine gets another thread, at most once a minute. Until then this method runs the event loop. Control thread
     * only.
     */
    void supervise() {
        if (thread == null || !thread.isDead()) {
            return;
        }
        boolean _ = loop.ownership().releaseOfEndedOwner();
        loop.fail("its thread " + thread.name() + " has died");
        long now = System.nanoTime();
        if (!revived || now - revivedNanos >= REVIVAL_INTERVAL_NANOS) {
            revived = true;
            revivedNanos = now;
            thread.revive();
        } else {
            int _ = loop.invoke();
        }
    }

    /** Returns whether the last attempt to stop the engine failed. */
    boolean isStuck() {
        return stuck;
    }

    /** Returns the name and stack of the thread that runs the loop, for the log. */
    String ownerStack() {
        Thread owner = loop.ownership().owner();
        return owner == null
                ? "no thread runs it"
                : owner.getName() + " at\n    "
                        + Stream.of(owner.getStackTrace())
                                .limit(MAX_FRAMES)
                                .map(StackTraceElement::toString)
                                .collect(Collectors.joining("\n    "));
    }

    /** Defers the closing of the transports and the NIC until {@link #close} and {@link #releaseNic}. */
    void hold() {
        if (!held) {
            held = true;
            rc.hold();
            ud.hold();
        }
        nic.hold();
    }

    void releaseNic() {
        nic.release();
    }

    /** Closes the engine. Called after {@link #stop}, when no code refers to its memory any more. */
    void close() {
        try {
            slab.close();
        } finally {
            if (held) {
                rc.release();
                ud.release();
            }
            closeTransports.run();
        }
    }

    @Override
    public String toString() {
        return thread == null ? "an engine without a thread" : thread.toString();
    }
}
