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

/** The one consumer of a node's completion queue, whatever thread it runs on. */
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
     * Describes the consumer.
     *
     * @param cq what it polls
     * @param links whose completions come
     * @param device for messages
     * @param callbacks where futures complete, null for here
     * @param onBroken told once when the queue cannot be polled any more
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

    /** Takes some completions, and completes their futures after the lock was left; returns how many. */
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

    /** The completions behind this one are taken all the same; a connection of which one is lost cannot go on. */
    private void complete(ConnectionCore link, int index, CompletedOperations done) {
        try {
            link.complete(completions, index, done);
        } catch (Throwable e) {
            FAILURES.report(link + " failed on a completion, and ends", e);
            link.failAsync(new RdmaException(link + " failed on a completion: " + e + ". Connect again", e));
        }
    }

    private RdmaException broken(int errno) {
        return new RdmaVerbsException(
                "ibv_poll_cq",
                device,
                errno,
                "The completion queue is lost, for instance by an overrun: open the node again");
    }

    /** Asks for an event with the next completion; returns an error number. */
    @Override
    public int arm() {
        lock.lock();
        try {
            return closed ? Errno.EINVAL : cq.requestNotification(false);
        } finally {
            lock.unlock();
        }
    }

    /** Held while the queue is polled. */
    Lock lock() {
        return lock;
    }

    /** Polls no more. */
    void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
    }
}
