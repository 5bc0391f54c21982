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
 * Stops and closes a runtime step by step; each step has its own time limit.
 *
 * <pre>
 *   reject clients -> announce last calls -> await them -> close sessions -> polling threads -> control thread   stop
 *   -> blocking verbs -> sockets -> memory -> transports -> NIC                                                  close
 *        \-> if a handler has not returned: another thread does all this when the handler has returned
 * </pre>
 */
final class Shutdown {

    private static final System.Logger LOG = System.getLogger(RdmaRuntime.class.getName());
    /** How long the engines may take to release sessions that are closed. */
    private static final Duration GOODBYE_LIMIT = Duration.ofSeconds(2);
    /** Time limit for each thread. */
    private static final Duration LIMIT = Duration.ofSeconds(5);
    /** Interval of checks for a handler that did not return in time. */
    private static final Duration RETRY = Duration.ofMillis(50);

    private final List<Engine> engines;
    private final ControlPlane plane;
    private final ControlThread controlThread;
    private final EngineScaler scaler;
    private final ExecutorService blocking;
    private final List<BuddyArena> arenas;
    private final Runnable closeNic;

    Shutdown(
            List<Engine> engines,
            ControlPlane plane,
            ControlThread controlThread,
            EngineScaler scaler,
            ExecutorService blocking,
            List<BuddyArena> arenas,
            Runnable closeNic) {
        this.engines = engines;
        this.plane = plane;
        this.controlThread = controlThread;
        this.scaler = scaler;
        this.blocking = blocking;
        this.arenas = arenas;
        this.closeNic = closeNic;
    }

    /** Stops the threads. */
    void stop(Duration grace, Duration threadLimit) {
        scaler.stop();
        plane.stopAccepting();
        awaitCalls(grace);
        Duration goodbye = threadLimit.compareTo(GOODBYE_LIMIT) < 0 ? threadLimit : GOODBYE_LIMIT;
        whileRunningLoops(() -> plane.stop(goodbye));
        engines.forEach(engine -> stop(engine, threadLimit));
        // The control thread stops last, because it closes the sessions that the engines have released.
        controlThread.stop(LIMIT);
    }

    private static void stop(Engine engine, Duration limit) {
        if (!engine.stop(limit, "the runtime was stopped")) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "{0} did not stop within {1} ms: a handler on its thread has not returned, and its calls end only"
                            + " after that. Run handlers that block on an executor. Owner of the engine: {2}",
                    engine,
                    limit.toMillis(),
                    engine.ownerStack());
        }
    }

    /** Checks before another start that no handler of the last run still blocks an engine. */
    void checkUndone() {
        for (Engine engine : engines) {
            if (engine.isStuck() && !engine.stop(Duration.ZERO, "the runtime was stopped")) {
                throw new IllegalStateException(engine
                        + " cannot start again: a handler of its last run has not returned. Owner of the engine: "
                        + engine.ownerStack());
            }
        }
    }

    private void awaitCalls(Duration grace) {
        if (grace.isZero()) {
            return;
        }
        long deadline = System.nanoTime() + grace.toNanos();
        whileRunningLoops(() -> plane.drain(grace));
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

    /**
     * Runs a step that needs the engines. Meanwhile, another thread runs the event loops that have no polling thread.
     */
    private void whileRunningLoops(Runnable step) {
        AtomicBoolean stopped = new AtomicBoolean();
        Thread runner = Thread.ofPlatform().name("rdma-stop").daemon().unstarted(() -> {
            while (!stopped.get()) {
                if (runLoops() == 0) {
                    LockSupport.parkNanos(this, 50_000);
                }
            }
        });
        boolean withoutThread =
                engines.stream().anyMatch(engine -> !engine.loop().ownership().hasDefaultOwner());
        if (withoutThread) {
            runner.start();
        }
        try {
            step.run();
        } finally {
            stopped.set(true);
        }
        if (withoutThread && !Uninterrupted.join(runner, LIMIT)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the thread that runs the engines during the stop did not end within {0}",
                    LIMIT);
        }
    }

    private int runLoops() {
        return engines.stream().mapToInt(engine -> engine.loop().invoke()).sum();
    }

    /** Closes the parts, after {@link #stop}. */
    void close() {
        List<Engine> stuck = engines.stream().filter(Engine::isStuck).toList();
        if (stuck.isEmpty()) {
            release();
        } else {
            releaseLater(stuck);
        }
    }

    /**
     * Closes the parts after the stuck handlers have returned, because their threads may still use the engines' memory.
     * The other engines stay open, too. Their connections and blocks must be closed before their transports, which
     * another owner may close.
     */
    private void releaseLater(List<Engine> stuck) {
        engines.forEach(Engine::hold);
        Thread.ofPlatform().name("rdma-close").daemon().start(() -> {
            while (!stopped(stuck)) {
                LockSupport.parkNanos(this, RETRY.toNanos());
            }
            LOG.log(
                    System.Logger.Level.INFO,
                    "the last handler has returned: the runtime closes its memory and transports now");
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
            LOG.log(
                    System.Logger.Level.WARNING,
                    "a blocking verb did not return within {0}: the runtime closes its device anyway",
                    LIMIT);
        }
        List<Runnable> parts = new ArrayList<>();
        parts.add(plane::close);
        arenas.forEach(arena -> parts.add(arena::close));
        engines.forEach(engine -> parts.add(engine::close));
        parts.add(closeNic);
        closeAll(parts);
    }

    /** Runs all tasks, even if one fails. Throws the first failure at the end. */
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
