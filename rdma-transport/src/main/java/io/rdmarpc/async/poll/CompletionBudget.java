package io.rdmarpc.async.poll;

import io.rdmarpc.async.error.RdmaCompletionsExhaustedException;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.util.concurrent.locks.Lock;

/** Shares a completion queue out to connections so that it cannot overrun: grows it, or refuses. Any thread. */
public final class CompletionBudget {

    private final CompletionQueue cq;
    private final Lock polling;
    private final int most;
    private int capacity;
    private int reserved;

    /**
     * Starts with an empty queue.
     *
     * @param cq the queue
     * @param polling held while the queue is polled
     * @param most the device's limit
     */
    public CompletionBudget(CompletionQueue cq, Lock polling, int most) {
        this.cq = cq;
        this.polling = polling;
        this.most = most;
        this.capacity = cq.capacity();
    }

    public synchronized void reserve(int count) {
        if (count > capacity - reserved) {
            grow(count);
        }
        reserved += count;
    }

    private void grow(int count) {
        long needed = (long) reserved + count;
        if (needed > most) {
            throw new RdmaCompletionsExhaustedException(reserved, count, capacity, null);
        }
        int wanted = (int) Math.min(most, Math.max(needed, 2L * capacity));
        polling.lock();
        try {
            capacity = cq.resize(wanted);
        } catch (RdmaVerbsException e) {
            throw new RdmaCompletionsExhaustedException(reserved, count, capacity, e);
        } finally {
            polling.unlock();
        }
    }

    public synchronized void release(int count) {
        reserved -= count;
    }

    public synchronized int reserved() {
        return reserved;
    }
}
