package io.rdmarpc.service.server.call;

import io.rdmarpc.service.concurrent.PaddedIntegers;
import io.rdmarpc.service.concurrent.Stripes;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Limits and counts calls in progress. It admits calls up to a maximum, or none when closed, and signals when the last call
 * has left. Thread-safe. Entering and leaving never block.
 *
 * <p>There are as many permits as calls may be inside. A call needs one to enter, and returns it when it leaves. All permits
 * begin in the reserve. Each stripe takes some at a time and keeps them for its next calls, so that calls on different
 * processors write different cache lines. A call is rejected if neither the reserve nor any stripe has a permit. While other
 * threads move permits, that may be a few calls below the maximum.
 *
 * <pre>
 *            refill                   enter
 *   reserve ========== permits of a ========== calls inside
 *            return       stripe      leave
 * </pre>
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

    private static final int UNLIMITED = 1 << 30;
    private static final int MAX_BATCH = 32;

    /** Index of the reserve, behind the permits of the stripes. */
    private static final int RESERVE = Stripes.COUNT;

    private final int max;
    /** Permits that a stripe takes at a time. It returns as many when it has more than twice that number. */
    private final int batch;

    private final PaddedIntegers permits = new PaddedIntegers(Stripes.COUNT + 1);

    /** Whether no call may enter. A call takes its permit before it reads this field a second time. */
    private volatile boolean closed;

    /** Whether a thread waits, or has waited, for the last call. That thread sets it before it drains the stripes. */
    private volatile boolean awaited;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition empty = lock.newCondition();

    /**
     * Creates an open gate.
     *
     * @param max maximum calls inside, 0 for no maximum
     */
    public CallGate(int max) {
        this.max = max == 0 ? UNLIMITED : max;
        this.batch = Math.clamp(this.max / (4 * Stripes.COUNT), 1, MAX_BATCH);
        permits.setRelease(RESERVE, this.max);
    }

    Entry enter() {
        if (closed) {
            return Entry.CLOSED;
        }
        if (!takePermit(Stripes.current())) {
            return Entry.FULL;
        }
        if (closed) {
            leave();
            return Entry.CLOSED;
        }
        return Entry.IN;
    }

    private boolean takePermit(int stripe) {
        return takeOne(stripe) || refill(stripe) || takeFromOthers(stripe);
    }

    private boolean takeOne(int stripe) {
        int now = permits.get(stripe);
        while (now > 0) {
            if (permits.compareAndSet(stripe, now, now - 1)) {
                return true;
            }
            now = permits.get(stripe);
        }
        return false;
    }

    /** Takes permits from the reserve: one for the caller, the others for its stripe. */
    private boolean refill(int stripe) {
        int now = permits.get(RESERVE);
        while (now > 0) {
            int taken = Math.min(batch, now);
            if (permits.compareAndSet(RESERVE, now, now - taken)) {
                if (taken > 1) {
                    permits.addAndGet(stripe, taken - 1);
                }
                return true;
            }
            now = permits.get(RESERVE);
        }
        return false;
    }

    private boolean takeFromOthers(int stripe) {
        for (int i = 1; i < Stripes.COUNT; i++) {
            if (takeOne((stripe + i) & (Stripes.COUNT - 1))) {
                return true;
            }
        }
        // A stripe that was empty when this thread came to it may have returned permits meanwhile.
        return takeOne(stripe) || refill(stripe);
    }

    void leave() {
        int stripe = Stripes.current();
        int now = permits.addAndGet(stripe, 1);
        if (now > 2 * batch && permits.compareAndSet(stripe, now, now - batch)) {
            permits.addAndGet(RESERVE, batch);
        }
        if (awaited && isEmpty()) {
            signal();
        }
    }

    /**
     * Returns whether no call is inside. Returns false also while another thread moves permits. A thread that moves the last
     * permit to the reserve finds the gate empty.
     */
    private boolean isEmpty() {
        for (int i = 0; i < Stripes.COUNT; i++) {
            int drained = permits.get(i) == 0 ? 0 : permits.getAndSet(i, 0);
            if (drained > 0) {
                permits.addAndGet(RESERVE, drained);
            }
        }
        return permits.get(RESERVE) == max;
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

    /**
     * Returns the number of calls inside. It is exact while no call enters or leaves, otherwise an estimate.
     *
     * @return 0 to the maximum
     */
    public int inside() {
        long free = permits.get(RESERVE);
        for (int i = 0; i < Stripes.COUNT; i++) {
            free += permits.get(i);
        }
        return Math.clamp(max - free, 0, max);
    }

    /** Lets calls enter. */
    public void open() {
        awaited = false;
        closed = false;
    }

    /** Lets no further call enter. */
    public void close() {
        closed = true;
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
            while (!isEmpty()) {
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
