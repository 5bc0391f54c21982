package io.rdmarpc.service.server.call;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Limits and counts calls in progress. It admits calls up to a maximum, or none when closed, and signals when the
 * last call has left. Thread-safe. Entering and leaving never block.
 */
public final class CallGate {

    /** Result of an attempt to enter. */
    enum Entry {
        /** The call has entered and must leave. */
        IN,
        /** The maximum number of calls has been reached. */
        FULL,
        /** The server is stopping. */
        CLOSED
    }

    private static final int CLOSED_BIT = 1 << 30;

    private final int max;
    /** Number of calls inside, and {@link #CLOSED_BIT}, in one word so that no call enters while the gate closes. */
    private final AtomicInteger state = new AtomicInteger();

    /**
     * Whether a thread waits, or has waited, for the last call. The waiting thread sets it before it reads the number
     * of calls.
     */
    private volatile boolean awaited;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition empty = lock.newCondition();

    public CallGate(int max) {
        this.max = max == 0 ? CLOSED_BIT - 1 : max;
    }

    Entry enter() {
        while (true) {
            int now = state.get();
            if ((now & CLOSED_BIT) != 0) {
                return Entry.CLOSED;
            }
            if (now >= max) {
                return Entry.FULL;
            }
            if (state.compareAndSet(now, now + 1)) {
                return Entry.IN;
            }
        }
    }

    void leave() {
        if ((state.decrementAndGet() & ~CLOSED_BIT) == 0 && awaited) {
            signal();
        }
    }

    private void signal() {
        lock.lock();
        try {
            empty.signalAll();
        } finally {
            lock.unlock();
        }
    }

    int max() {
        return max;
    }

    public int inside() {
        return state.get() & ~CLOSED_BIT;
    }

    public void open() {
        awaited = false;
        state.updateAndGet(now -> now & ~CLOSED_BIT);
    }

    public void close() {
        state.updateAndGet(now -> now | CLOSED_BIT);
    }

    /**
     * Waits until all calls have left. If calls continue to enter, it may wait for the maximum time.
     *
     * @param timeout maximum time to wait; unlimited if negative
     * @return false if some calls are still inside
     */
    public boolean awaitEmpty(Duration timeout) {
        long left = timeout.isNegative() ? Long.MAX_VALUE : timeout.toNanos();
        lock.lock();
        try {
            awaited = true;
            while (inside() > 0) {
                if (left <= 0) {
                    return false;
                }
                left = empty.awaitNanos(left);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }
}
