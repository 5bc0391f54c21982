package io.rdmarpc.service.server.call;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Counts the calls that are not yet answered: lets in so many at a time, none when closed, and tells when the last is out.
 * Any thread; entering and leaving never block.
 */
public final class CallGate {

    /** What became of a call at the gate. */
    enum Entry {
        /** It is in and has to leave. */
        IN,
        /** Too many are in. */
        FULL,
        /** The server stops. */
        CLOSED
    }

    private static final int CLOSED_BIT = 1 << 30;

    private final int most;
    /** Calls inside, and {@link #CLOSED_BIT}: one word, so that none slips in while it closes. */
    private final AtomicInteger state = new AtomicInteger();

    /** A thread waits until all are out, or has waited: it looks at the number after it has said so. */
    private volatile boolean awaited;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition empty = lock.newCondition();

    public CallGate(int most) {
        this.most = most == 0 ? CLOSED_BIT - 1 : most;
    }

    Entry enter() {
        while (true) {
            int now = state.get();
            if ((now & CLOSED_BIT) != 0) {
                return Entry.CLOSED;
            }
            if (now >= most) {
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

    int most() {
        return most;
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
     * Waits until all are out. Where calls still come in it may wait for as long as it may.
     *
     * @param longest how long to wait, for ever when negative
     * @return false when some are still inside
     */
    public boolean awaitEmpty(Duration longest) {
        long left = longest.isNegative() ? Long.MAX_VALUE : longest.toNanos();
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
