package io.rdmarpc.rpc.runtime;

import io.rdmarpc.concurrent.Uninterrupted;
import io.rdmarpc.memory.BuddyArena;
import io.rdmarpc.rpc.control.ControlPlane;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * How a runtime ends, step by step, each with an end of its own.
 *
 * <pre>
 *   no new clients -> the last calls are announced -> those end -> goodbyes -> polling threads -> control thread   stop
 *   -> blocking verbs -> sockets -> memory -> transports -> NIC                                                    close
 *        \-> a handler has not returned: all of that when it has, by a thread of its own
 * </pre>
 */
final class Shutdown {

    private static final System.Logger LOG = System.getLogger(RdmaRuntime.class.getName());
    /** For the engines to release sessions that end with a goodbye. */
    private static final Duration GOODBYE_LIMIT = Duration.ofSeconds(2);
    /** For each thread that is waited for. */
    private static final Duration LIMIT = Duration.ofSeconds(5);
    /** Between looks for a handler that did not return in time. */
    private static final Duration RETRY = Duration.ofMillis(50);

    private final List<Engine> engines;
    private final ControlPlane plane;
    private final ControlThread controlThread;
    private final ExecutorService blocking;
    private final List<BuddyArena> arenas;
    private final Runnable closeNic;

    Shutdown(
            List<Engine> engines,
            ControlPlane plane,
            ControlThread controlThread,
            ExecutorService blocking,
            List<BuddyArena> arenas,
            Runnable closeNic) {
        this.engines = engines;
        this.plane = plane;
        this.controlThread = controlThread;
        this.blocking = blocking;
        this.arenas = arenas;
        this.closeNic = closeNic;
    }

    /** Stops what runs. */
    void stop(Duration grace, Duration threadLimit) {
        plane.stopAccepting();
        awaitCalls(grace);
        Duration goodbye = threadLimit.compareTo(GOODBYE_LIMIT) < 0 ? threadLimit : GOODBYE_LIMIT;
        whileTurned(() -> plane.stop(goodbye));
        engines.forEach(engine -> stop(engine, threadLimit));
        // Last: what the engines let go of goes back by it.
        controlThread.stop(LIMIT);
    }

    private static void stop(Engine engine, Duration limit) {
        if (!engine.stop(limit, "the runtime was stopped")) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "{0} did not stop within {1} ms: a handler that runs on it has not returned, and its calls do not end"
                            + " before it does. Handlers that wait belong on an executor. It is {2}",
                    engine,
                    limit.toMillis(),
                    engine.whereabouts());
        }
    }

    /** Before another start. */
    void checkUndone() {
        for (Engine engine : engines) {
            if (engine.isStuck() && !engine.stop(Duration.ZERO, "the runtime was stopped")) {
                throw new IllegalStateException(engine
                        + " cannot start again: a handler of its last run has not returned. It is "
                        + engine.whereabouts());
            }
        }
    }

    private void awaitCalls(Duration grace) {
        if (grace.isZero()) {
            return;
        }
        long deadline = System.nanoTime() + grace.toNanos();
        whileTurned(() -> plane.drain(grace));
        try {
            while (executingCalls() > 0 && deadline - System.nanoTime() > 0) {
                Thread.sleep(1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private long executingCalls() {
        return engines.stream()
                .mapToLong(engine -> engine.loop().gauges().executingCalls())
                .sum();
    }

    /** Does what needs the help of the engines; those that have no thread are turned here meanwhile. */
    private void whileTurned(Runnable step) {
        AtomicBoolean stopped = new AtomicBoolean();
        Thread turning = Thread.ofPlatform().name("rdma-stop").daemon().unstarted(() -> {
            while (!stopped.get()) {
                if (turn() == 0) {
                    LockSupport.parkNanos(this, 50_000);
                }
            }
        });
        boolean unattended =
                engines.stream().anyMatch(engine -> !engine.loop().ownership().hasDefaultOwner());
        if (unattended) {
            turning.start();
        }
        try {
            step.run();
        } finally {
            stopped.set(true);
        }
        if (unattended && !Uninterrupted.join(turning, LIMIT)) {
            LOG.log(System.Logger.Level.WARNING, "an engine without a thread still turns after {0}", LIMIT);
        }
    }

    private int turn() {
        return engines.stream().mapToInt(engine -> engine.loop().invoke()).sum();
    }

    /** Closes what was opened, after {@link #stop}. */
    void close() {
        List<Engine> stuck = engines.stream().filter(Engine::isStuck).toList();
        if (stuck.isEmpty()) {
            release();
        } else {
            releaseLater(stuck);
        }
    }

    /**
     * What a thread may still use stays open until it has come back: its memory must not go from under it. The other engines
     * stay, too: their connections and blocks are closed later than whoever opened their transports closes those.
     */
    private void releaseLater(List<Engine> stuck) {
        engines.forEach(Engine::hold);
        Thread.ofPlatform().name("rdma-close").daemon().start(() -> {
            while (!stopped(stuck)) {
                LockSupport.parkNanos(this, RETRY.toNanos());
            }
            LOG.log(System.Logger.Level.INFO, "the last handler has returned: what it held up is closed now");
            try {
                release();
            } finally {
                engines.forEach(Engine::releaseNic);
            }
        });
    }

    private static boolean stopped(List<Engine> stuck) {
        return stuck.stream().allMatch(engine -> engine.stop(Duration.ofMillis(1), "the runtime was closed"));
    }

    private void release() {
        blocking.shutdown();
        if (!Uninterrupted.await(LIMIT, nanos -> blocking.awaitTermination(nanos, TimeUnit.NANOSECONDS))) {
            LOG.log(System.Logger.Level.WARNING, "a verb still blocks after {0}", LIMIT);
        }
        List<Runnable> parts = new ArrayList<>();
        parts.add(plane::close);
        arenas.forEach(arena -> parts.add(arena::close));
        engines.forEach(engine -> parts.add(engine::close));
        parts.add(closeNic);
        closeAll(parts);
    }

    /** One that fails does not keep the others open. */
    static void closeAll(List<Runnable> parts) {
        RuntimeException failure = null;
        for (Runnable part : parts) {
            try {
                part.run();
            } catch (RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
