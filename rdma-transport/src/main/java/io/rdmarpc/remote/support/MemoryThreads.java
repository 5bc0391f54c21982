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
 * The threads of one {@link RemoteMemory}. One is the control thread: it changes what is lent, and blocks in verbs. Virtual
 * ones run what may be a user's, or takes long.
 */
public final class MemoryThreads {

    private static final System.Logger LOG = System.getLogger(MemoryThreads.class.getName());
    private static final Duration END_LIMIT = Duration.ofSeconds(10);

    private final ScheduledThreadPoolExecutor control;
    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();

    public MemoryThreads(String deviceName) {
        this.control = new ScheduledThreadPoolExecutor(
                1,
                Thread.ofPlatform().name("rdma-memory-" + deviceName).daemon().factory());
        control.setRemoveOnCancelPolicy(true);
    }

    /** Runs something that changes what is lent or blocks in a verb; false, and nothing is run, after the end. */
    public boolean onControl(Runnable task) {
        try {
            control.execute(() -> runSafely(task));
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** {@link #onControl} for what somebody waits for: it fails then. */
    public Executor controlOrFail() {
        return task -> {
            if (!onControl(task)) {
                throw RemoteMemoryFailures.closed();
            }
        };
    }

    /** {@link #onControl} after a while. On the control thread. */
    public Future<?> onControlAfter(long nanos, Runnable task) {
        return control.schedule(() -> runSafely(task), nanos, TimeUnit.NANOSECONDS);
    }

    /** Runs what may be a user's, or takes long: never on the control thread, as long as this is open. */
    public void offControl(Runnable task) {
        try {
            workers.execute(() -> runSafely(task));
        } catch (RejectedExecutionException e) {
            runSafely(task);
        }
    }

    /** Where what takes long is run, and fails after the end. */
    public Executor workers() {
        return workers;
    }

    private static void runSafely(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.ERROR, "a task of remote memory failed", e);
        }
    }

    /** Ends as the inner one does, on a thread of which a user may do what he likes, waiting included. */
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

    /** Runs a last task on the control thread and waits for its end. */
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

    /** Takes nothing more, and waits for the end of what there is. */
    public void close() {
        for (ExecutorService each : List.of(control, workers)) {
            each.shutdown();
            awaitEnd(nanos -> each.awaitTermination(nanos, TimeUnit.NANOSECONDS));
        }
    }

    private static void awaitEnd(Uninterrupted.Wait wait) {
        if (!Uninterrupted.await(END_LIMIT, wait)) {
            LOG.log(System.Logger.Level.WARNING, "remote memory still works after {0}", END_LIMIT);
        }
    }
}
