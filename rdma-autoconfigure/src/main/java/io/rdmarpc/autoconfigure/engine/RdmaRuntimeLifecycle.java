package io.rdmarpc.autoconfigure.engine;

import io.rdmarpc.rpc.error.RdmaNotExecutedException;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Turns the engine on before the web server takes requests and off after it has answered the last: a request that calls
 * another process can end. Calls that come earlier, or while beans are destroyed, turn it on too, as they would open a pool of
 * database connections; the server's own lifecycle decides whether this process serves. A context that is paused stays so.
 *
 * <pre>
 *   EARLY: a call starts it -> RUNNING -> PAUSED: calls fail -> RUNNING
 *                                      -> LATE, the context closes: a call starts it -> closed
 * </pre>
 */
public final class RdmaRuntimeLifecycle implements SmartLifecycle {

    /** One step below {@code WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE}, which is {@code MAX_VALUE - 2048}. */
    public static final int PHASE = Integer.MAX_VALUE - 3072;

    private static final long LOOK_MILLIS = 10;

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
        // First: a call that finds the runtime stopping must not wait for that.
        startsForCalls = false;
        lock.lock();
        try {
            runtime.stop(gracePeriod);
            startsForCalls = application.isClosed();
        } finally {
            lock.unlock();
        }
    }

    /** A call finds no session. Never waits for a stop. */
    public void startForCall() {
        try {
            while (startsForCalls && !runtime.isRunning()) {
                if (lock.tryLock(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                    try {
                        startUnlessStopped();
                    } finally {
                        lock.unlock();
                    }
                    return;
                }
            }
        } catch (InterruptedException e) {
            // The attempt to connect says so.
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
            throw new RdmaNotExecutedException(
                    "the RDMA runtime of this application cannot start for the call: " + e.getMessage(), e);
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
