package io.rdmarpc.autoconfigure.engine;

import io.rdmarpc.rpc.error.RdmaNotExecutedException;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the engine before the web server accepts requests, and stops it after the web server has sent its last
 * response. A request that calls another process can therefore complete. Calls before that, or while beans are
 * destroyed, also start the engine, as they would open a pool of database connections. The server's own lifecycle
 * decides whether this process serves calls. A paused context remains paused.
 *
 * <pre>
 *   EARLY: a call starts it -> RUNNING -> PAUSED: calls fail -> RUNNING
 *                                      -> LATE, the context closes: a call starts it -> closed
 * </pre>
 */
public final class RdmaRuntimeLifecycle implements SmartLifecycle {

    /**
     * One step below {@code WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE}, which is {@code MAX_VALUE -
     * 2048}.
     */
    public static final int PHASE = Integer.MAX_VALUE - 3072;

    private static final long LOCK_WAIT_MILLIS = 10;

    private final RdmaRuntime runtime;
    private final Duration gracePeriod;
    private final ConfigurableApplicationContext application;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile boolean startsForCalls = true;

    public RdmaRuntimeLifecycle(RdmaRuntime runtime, Duration gracePeriod, ConfigurableApplicationContext application) {
        this.runtime = runtime;
        this.gracePeriod = gracePeriod;
        this.application = application;
    }

    @Override
    public void start() {
        lock.lock();
        try {
            runtime.start();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void stop() {
        // Set before the lock is acquired, because a call that finds the runtime stopping must not wait until it has
        // stopped.
        startsForCalls = false;
        lock.lock();
        try {
            runtime.stop(gracePeriod);
            startsForCalls = application.isClosed();
        } finally {
            lock.unlock();
        }
    }

    /** Starts the runtime for a call that finds no session. Never waits for a stop. */
    public void startForCall() {
        try {
            while (startsForCalls && !runtime.isRunning()) {
                if (lock.tryLock(LOCK_WAIT_MILLIS, TimeUnit.MILLISECONDS)) {
                    try {
                        startUnlessStopped();
                    } finally {
                        lock.unlock();
                    }
                    return;
                }
            }
        } catch (InterruptedException e) {
            // The attempt to connect reports the interrupt.
            Thread.currentThread().interrupt();
        }
    }

    private void startUnlessStopped() {
        if (!startsForCalls || runtime.isClosed()) {
            return;
        }
        try {
            runtime.start();
        } catch (IllegalStateException e) {
            throw new RdmaNotExecutedException("the RDMA runtime could not start for this call: " + e.getMessage(), e);
        }
    }

    @Override
    public boolean isRunning() {
        return runtime.isRunning();
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
