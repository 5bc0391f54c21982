package io.rdmarpc.remote.support;

import io.rdmarpc.concurrent.Uninterrupted;
import io.rdmarpc.remote.RemoteMemory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads of one {@link RemoteMemory}. The control thread changes leases and grants, and blocks in verbs. Virtual
 * threads run user callbacks and long tasks.
 */
public final class MemoryThreads {

    private static final System.Logger LOG = System.getLogger(MemoryThreads.class.getName());
    private static final Duration END_TIMEOUT = Duration.ofSeconds(10);

    private final ScheduledThreadPoolExecutor control;
    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();

    public MemoryThreads(String deviceName) {
        this.control = new ScheduledThreadPoolExecutor(
                1,
                Thread.ofPlatform().name("rdma-memory-" + deviceName).daemon().factory());
        control.setRemoveOnCancelPolicy(true);
    }

    /**
     * Runs a task that changes leases or blocks in a verb on the control thread. Returns false, without running it,
     * after the close.
     */
    public boolean onControl(Runnable task) {
        try {
            control.execute(() -> runSafely(task));
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** Returns an executor for {@link #onControl} that throws after the close. */
    public Executor controlOrFail() {
        return task -> {
            if (!onControl(task)) {
                throw RemoteMemoryFailures.closed();
            }
        };
    }

    /** Runs a task on the control thread after a delay. Call it on the control thread. */
    public Future<?> onControlAfter(long nanos, Runnable task) {
        return control.schedule(() -> runSafely(task), nanos, TimeUnit.NANOSECONDS);
    }

    /** Runs user callbacks and long tasks on a virtual thread; on the calling thread after the close. */
    public void offControl(Runnable task) {
        try {
            workers.execute(() -> runSafely(task));
        } catch (RejectedExecutionException e) {
            runSafely(task);
        }
    }

    /** Returns the executor of long tasks; it rejects tasks after the close. */
    public Executor workers() {
        return workers;
    }

    private static void runSafely(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.ERROR, "A task of remote memory failed", e);
        }
    }

    /** Returns a copy of a future that completes on a virtual thread, where user callbacks may block. */
    public <T> CompletableFuture<T> offControlThread(CompletableFuture<T> inner) {
        if (inner.isDone()) {
            return inner.copy();
        }
        CompletableFuture<T> outer = new CompletableFuture<>();
        var _ = inner.whenComplete((value, failure) -> offControl(() -> {
            if (failure == null) {
                outer.complete(value);
            } else {
                outer.completeExceptionally(RemoteMemoryFailures.unwrapped(failure));
            }
        }));
        return outer;
    }

    /** Runs a last task on the control thread and waits for its end, at most 10 s. */
    public void runLast(Runnable task) {
        CountDownLatch ended = new CountDownLatch(1);
        boolean runs = onControl(() -> {
            try {
                task.run();
            } finally {
                ended.countDown();
            }
        });
        if (runs) {
            awaitEnd(nanos -> ended.await(nanos, TimeUnit.NANOSECONDS));
        }
    }

    /** Rejects further tasks, and waits until the current ones have ended, at most 10 s for each executor. */
    public void close() {
        for (ExecutorService each : List.of(control, workers)) {
            each.shutdown();
            awaitEnd(nanos -> each.awaitTermination(nanos, TimeUnit.NANOSECONDS));
        }
    }

    private static void awaitEnd(Uninterrupted.Wait wait) {
        if (!Uninterrupted.await(END_TIMEOUT, wait)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Tasks of remote memory still run after {0}; they are abandoned",
                    END_TIMEOUT);
        }
    }
}
