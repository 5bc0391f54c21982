package io.rdmarpc.service.server;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the JVM running while services are offered. All other threads of this library are daemons, so that a process
 * with clients only may exit.
 */
final class KeepAlive {

    private @Nullable Thread thread;

    synchronized void start() {
        if (thread == null) {
            thread = Thread.ofPlatform().name("rdma-keep-alive").daemon(false).start(KeepAlive::park);
        }
    }

    private static void park() {
        while (!Thread.currentThread().isInterrupted()) {
            LockSupport.park();
        }
    }

    synchronized void stop() {
        if (thread != null) {
            thread.interrupt();
            thread = null;
        }
    }
}
