package io.rdmarpc.rpc.runtime;

import io.rdmarpc.concurrent.FailureLog;
import io.rdmarpc.concurrent.Uninterrupted;
import io.rdmarpc.rpc.control.ControlPlane;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The thread of all control connections. One of the operating system: while virtual threads compute on all carriers,
 * heartbeats go on. Starting and stopping: one thread at a time.
 */
final class ControlThread {

    private static final long PAUSE_NANOS = 1_000_000;

    private final FailureLog failures = new FailureLog(System.getLogger(ControlThread.class.getName()));
    private final ControlPlane plane;
    private final Runnable supervision;
    private volatile boolean running;
    private volatile @Nullable Thread thread;

    /**
     * Describes the thread.
     *
     * @param plane what it turns
     * @param supervision looks after the engines, once a second at least
     */
    ControlThread(ControlPlane plane, Runnable supervision) {
        this.plane = plane;
        this.supervision = supervision;
    }

    void start() {
        running = true;
        plane.start();
        thread = Thread.ofPlatform().name("rdma-connections").daemon().start(this::turn);
    }

    private void turn() {
        while (running) {
            try {
                plane.doWork();
                supervision.run();
            } catch (Throwable e) {
                failures.report("the thread of control connections failed in a turn, and goes on", e);
                LockSupport.parkNanos(this, PAUSE_NANOS);
            }
        }
    }

    boolean isCurrent() {
        return Thread.currentThread().equals(thread);
    }

    /** Waits for the end of its turn, whatever interrupts: what it uses is closed next. */
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
