package io.rdmarpc.rpc.runtime;

import io.rdmarpc.concurrent.Uninterrupted;
import io.rdmarpc.rpc.control.ControlPlane;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The thread of all control connections. One of the operating system: while virtual threads compute on all carriers,
 * heartbeats go on. Starting and stopping: one thread at a time.
 */
final class ControlThread {

    private final ControlPlane plane;
    private volatile boolean running;
    private @Nullable Thread thread;

    ControlThread(ControlPlane plane) {
        this.plane = plane;
    }

    void start() {
        running = true;
        plane.start();
        thread = Thread.ofPlatform().name("rdma-connections").daemon().start(this::turn);
    }

    private void turn() {
        while (running) {
            plane.turn();
        }
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
