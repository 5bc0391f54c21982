package io.rdmarpc.async.poll;

import io.rdmarpc.async.error.RdmaCompletionsExhaustedException;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.util.concurrent.locks.Lock;

/**
 * Reserves room in a completion queue for each connection, so that the queue cannot overrun. Grows the queue if
 * necessary, or throws. Thread-safe.
 */
public final class CompletionBudget {

    private final CompletionQueue cq;
    private final Lock polling;
    private final int max;
    private int capacity;
    private int reserved;

    /**
     * Creates a budget without reservations.
     *
     * @param cq the queue
     * @param polling the lock that a thread holds while it polls the queue
     * @param max the device's limit, in completions
     */
    public CompletionBudget(CompletionQueue cq, Lock polling, int max) {
        this.cq = cq;
        this.polling = polling;
        this.max = max;
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
        if (needed > max) {
            throw new RdmaCompletionsExhaustedException(reserved, count, capacity, null);
        }
        int wanted = (int) Math.min(max, Math.max(needed, 2L * capacity));
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
