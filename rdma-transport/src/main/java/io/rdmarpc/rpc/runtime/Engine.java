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

/** One loop of a runtime with its packet memory and the thread that turns it; without a thread its user does. */
final class Engine {

    private static final int PACKETS_PER_SLAB = 512;
    private static final int DEEPEST = 20;

    /** What the engines of a runtime share. */
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
    /** Between two threads for the same engine. */
    private static final long REVIVAL_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private volatile boolean stuck;
    private volatile boolean held;
    /** Of the control thread. */
    private long revivedNanos;

    private boolean revived;

    /** An engine on transports of others. */
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

    /** An engine on transports of its own. */
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

    /** What closes the transports, then their channel. */
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

    /** Stops its thread and ends what waits in the loop; false when a handler is stuck in it. */
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
     * Looks whether its thread lives, which nothing should end. Should it have died all the same, the calls of the engine fail with
     * that reason, and it gets another thread, once a minute at most; until then this turns it. Control thread.
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

    /** Tells whether it could not be stopped the last time that was tried. */
    boolean isStuck() {
        return stuck;
    }

    /** Where the thread is that does not come back, for the log. */
    String whereabouts() {
        Thread owner = loop.ownership().owner();
        return owner == null
                ? "no thread runs it"
                : owner.getName() + " at\n    "
                        + Stream.of(owner.getStackTrace())
                                .limit(DEEPEST)
                                .map(StackTraceElement::toString)
                                .collect(Collectors.joining("\n    "));
    }

    /** Whoever closes what it works with has to wait: for {@link #close}, and for {@link #releaseNic}. */
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

    /** After {@link #stop} and after nothing refers to its memory any more. */
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
