package io.rdmarpc.async;

import io.rdmarpc.async.poll.CompletionSource;
import io.rdmarpc.concurrent.FailureLog;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaException;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.lang.foreign.Arena;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Polls the completion queue of a node. Any thread may call {@link #reap}; a lock admits one thread at a time. */
final class CompletionReaper implements CompletionSource {

    private static final int BATCH = 64;
    private static final FailureLog FAILURES = new FailureLog(System.getLogger(CompletionReaper.class.getName()));

    private final CompletionQueue cq;
    private final ConnectionTable links;
    private final String device;
    private final @Nullable Executor callbacks;
    private final Consumer<RdmaException> onBroken;
    private final ReentrantLock lock = new ReentrantLock();
    private final WorkCompletions completions = WorkCompletions.allocate(Arena.ofAuto(), BATCH);
    private boolean closed;

    /**
     * Creates the reaper.
     *
     * @param cq the queue to poll
     * @param links the connections that use the queue
     * @param device the device name, for messages
     * @param callbacks the executor that completes futures, null for the polling thread
     * @param onBroken receives the failure if the queue can no longer be polled; called once
     */
    CompletionReaper(
            CompletionQueue cq,
            ConnectionTable links,
            String device,
            @Nullable Executor callbacks,
            Consumer<RdmaException> onBroken) {
        this.cq = cq;
        this.links = links;
        this.device = device;
        this.callbacks = callbacks;
        this.onBroken = onBroken;
    }

    /** Polls up to {@value #BATCH} completions and completes their futures without the lock. Returns their number. */
    @Override
    public int reap() {
        CompletedOperations done = new CompletedOperations();
        int count;
        lock.lock();
        try {
            count = closed ? 0 : cq.poll(completions, BATCH);
            for (int i = 0; i < count; i++) {
                ConnectionCore link = links.find((int) (completions.wrId(i) >>> Integer.SIZE));
                if (link != null) {
                    complete(link, i, done);
                }
            }
            closed |= count < 0;
        } finally {
            lock.unlock();
        }
        done.deliver(callbacks);
        if (count < 0) {
            onBroken.accept(broken(-count));
        }
        return Math.max(0, count);
    }

    /** A failure ends this connection, which has lost a completion. The remaining completions are still processed. */
    private void complete(ConnectionCore link, int index, CompletedOperations done) {
        try {
            link.complete(completions, index, done);
        } catch (Throwable e) {
            FAILURES.report(link + " failed to process a completion and closes", e);
            link.failAsync(new RdmaException(link + " failed to process a completion: " + e + ". Connect again", e));
        }
    }

    private RdmaException broken(int errno) {
        return new RdmaVerbsException(
                "ibv_poll_cq",
                device,
                errno,
                "The completion queue is lost, for instance after an overrun. Close the node and open it again");
    }

    /** Requests an event for the next completion; returns an error number, 0 for success. */
    @Override
    public int arm() {
        lock.lock();
        try {
            return closed ? Errno.EINVAL : cq.requestNotification(false);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the lock that a thread holds while it polls the queue. */
    Lock lock() {
        return lock;
    }

    /** Stops polling: later calls of {@link #reap} return 0. */
    void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
    }
}
