package io.rdmarpc.rpc.runtime;

import io.rdmarpc.concurrent.FailureLog;
import io.rdmarpc.concurrent.Uninterrupted;
import io.rdmarpc.rpc.control.ControlPlane;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The thread of all control connections. It is a platform thread, so that heartbeats continue while virtual threads
 * occupy all carriers. Only one thread at a time may call {@link #start} and {@link #stop}.
 */
final class ControlThread {

    private static final long PAUSE_NANOS = 1_000_000;

    private final FailureLog failures = new FailureLog(System.getLogger(ControlThread.class.getName()));
    private final ControlPlane plane;
    private final Runnable supervision;
    private volatile boolean running;
    private volatile @Nullable Thread thread;

    /**
     * Creates the thread; it does not run yet.
     *
     * @param plane the control plane that it runs
     * @param supervision supervises the engines; called at least once a second
     */
    ControlThread(ControlPlane plane, Runnable supervision) {
        this.plane = plane;
        this.supervision = supervision;
    }

    void start() {
        running = true;
        plane.start();
        thread = Thread.ofPlatform().name("rdma-connections").daemon().start(this::run);
    }

    private void run() {
        while (running) {
            try {
                plane.doWork();
                supervision.run();
            } catch (Throwable e) {
                failures.report("the control thread continues after a failure of a duty cycle", e);
                LockSupport.parkNanos(this, PAUSE_NANOS);
            }
        }
    }

    boolean isCurrent() {
        return Thread.currentThread().equals(thread);
    }

    /**
     * Stops the thread and waits for the end of its current duty cycle, even if interrupted, because the caller closes
     * its resources next.
     */
    void stop(Duration limit) {
        Thread stopping = thread;
        running = false;
        plane.wake();
        if (stopping != null && Uninterrupted.join(stopping, limit)) {
            thread = null;
        }
        plane.halt();
    }
}
