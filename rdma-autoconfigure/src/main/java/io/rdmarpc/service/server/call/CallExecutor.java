package io.rdmarpc.service.server.call;

import io.rdmarpc.rpc.runtime.PollingThread;
import io.rdmarpc.service.concurrent.Stripes;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Runs each call on a thread of an executor, except calls of methods that usually return within microseconds. For those,
 * starting or waking a thread costs more than the method, so that several of them run on one thread, one after the other.
 * Each engine has a queue of such calls.
 *
 * <pre>
 *   engine 0 --> queue 0 --> one worker     quick methods
 *   engine 1 --> queue 1 --> one worker
 *   any      -------------------> a thread of each call: slow methods, and calls for which there is no room in a queue
 * </pre>
 *
 * <p>A quick method may suddenly block, even on a call that waits behind it. If a worker stays in one call, the watching thread
 * gives each call of its queue its own thread, and these methods are slow from then on. So a call waits for another one for
 * two milliseconds at most. Thread-safe. {@link #execute} never blocks.
 */
public final class CallExecutor implements Executor {

    /** Calls that may wait for a worker. Further ones get their own thread, so that more processors work on them. */
    static final int MAX_WAITING = 32;

    private static final int QUEUES = 16;
    private static final long WATCH_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Watch intervals without waiting calls after which the watching thread ends. */
    private static final int MAX_IDLE_INTERVALS = 1_000;

    private final Executor threads;
    private final Executor watchers;
    private final CallQueue[] queues = new CallQueue[QUEUES];
    private final AtomicBoolean watched = new AtomicBoolean();

    /**
     * Creates an executor.
     *
     * @param threads runs the calls
     */
    public CallExecutor(Executor threads) {
        this(
                threads,
                watch -> Thread.ofPlatform().name("rdma-server-watch").daemon().start(watch));
    }

    /** Creates an executor with the thread that watches the workers. */
    CallExecutor(Executor threads, Executor watchers) {
        this.threads = threads;
        this.watchers = watchers;
        for (int i = 0; i < QUEUES; i++) {
            queues[i] = new CallQueue();
        }
    }

    /** Runs a task. Throws what the executor of the threads throws, unless the task is a call of a quick method. */
    @Override
    public void execute(Runnable task) {
        if (task instanceof ServerCall call && call.isQuick()) {
            int engine = PollingThread.currentEngine();
            CallQueue queue = queues[(engine >= 0 ? engine : Stripes.ofThread()) % QUEUES];
            if (queue.add(call)) {
                return;
            }
        }
        threads.execute(task);
    }

    /** The calls of quick methods of one engine. */
    private final class CallQueue {

        private final Queue<ServerCall> waiting = new ConcurrentLinkedQueue<>();
        private final AtomicInteger count = new AtomicInteger();
        /** Null while no call is in the queue, and after a worker was found to be stuck. */
        private final AtomicReference<@Nullable Worker> worker = new AtomicReference<>();

        /** What the worker was doing at the last watch. Used by the watching thread only. */
        private @Nullable ServerCall seen;

        /** Returns false if the queue is full. */
        boolean add(ServerCall call) {
            if (count.get() >= MAX_WAITING) {
                return false;
            }
            count.incrementAndGet();
            waiting.add(call);
            if (worker.get() == null) {
                startWorker();
            } else {
                watch();
            }
            return true;
        }

        private void startWorker() {
            Worker fresh = new Worker(this);
            if (!worker.compareAndSet(null, fresh)) {
                return;
            }
            try {
                threads.execute(fresh);
            } catch (RuntimeException | Error e) {
                worker.compareAndSet(fresh, null);
                for (ServerCall call = poll(); call != null; call = poll()) {
                    call.notStarted(e);
                }
            }
        }

        @Nullable
        ServerCall poll() {
            ServerCall call = waiting.poll();
            if (call != null) {
                count.decrementAndGet();
            }
            return call;
        }

        /**
         * Returns the next call for a worker, or null if it has to end: another worker has replaced it, or no call waits. A
         * call that is added meanwhile is either found here, or starts a worker.
         */
        @Nullable
        ServerCall next(Worker current) {
            while (worker.get() == current) {
                ServerCall call = poll();
                if (call != null) {
                    return call;
                }
                boolean ends = worker.compareAndSet(current, null);
                if (!ends || waiting.isEmpty() || !worker.compareAndSet(null, current)) {
                    return null;
                }
            }
            return null;
        }

        /** Returns whether calls wait. If the worker has stayed in one call since the last time, they get their own threads. */
        boolean check() {
            Worker current = worker.get();
            ServerCall call = current == null ? null : current.running;
            boolean waits = count.get() > 0;
            if (waits && current != null && call != null && call.equals(seen)) {
                release(current, call);
            }
            seen = call;
            return waits;
        }

        private void release(Worker stuck, ServerCall running) {
            running.becomeSlow();
            if (!worker.compareAndSet(stuck, null)) {
                return;
            }
            for (ServerCall call = poll(); call != null; call = poll()) {
                call.becomeSlow();
                try {
                    threads.execute(call);
                } catch (RuntimeException | Error e) {
                    call.notStarted(e);
                }
            }
        }
    }

    /** Runs the calls of a queue on one thread until none waits. */
    private static final class Worker implements Runnable {

        private final CallQueue queue;
        private volatile @Nullable ServerCall running;

        Worker(CallQueue queue) {
            this.queue = queue;
        }

        @Override
        public void run() {
            for (ServerCall call = queue.next(this); call != null; call = queue.next(this)) {
                running = call;
                try {
                    call.run();
                } catch (Throwable e) {
                    Thread current = Thread.currentThread();
                    current.getUncaughtExceptionHandler().uncaughtException(current, e);
                } finally {
                    running = null;
                }
            }
        }
    }

    private void watch() {
        if (!watched.get() && watched.compareAndSet(false, true)) {
            watchers.execute(this::watchWhileCallsWait);
        }
    }

    private void watchWhileCallsWait() {
        int idle = 0;
        while (idle < MAX_IDLE_INTERVALS) {
            LockSupport.parkNanos(this, WATCH_NANOS);
            idle = checkWorkers() ? 0 : idle + 1;
        }
        watched.set(false);
        if (checkWorkers()) {
            watch();
        }
    }

    /** Releases the calls behind those that have run since the last check. Returns whether calls wait. */
    boolean checkWorkers() {
        boolean any = false;
        for (CallQueue queue : queues) {
            any |= queue.check();
        }
        return any;
    }
}
