package io.rdmarpc.verbs.soft.progress;

import io.rdmarpc.concurrent.CarrierWait;
import java.time.Duration;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import java.util.concurrent.locks.Condition;

/**
 * The lock of an RNIC: reentrant, not fair, with conditions. It is acquired several times for each packet. Unlike
 * {@link java.util.concurrent.locks.ReentrantLock} it stores its owner as a number. With G1 a reference store into an
 * old object costs a GC barrier (until JEP 522 of JDK 26).
 */
public final class RnicLock {

    private static final long NO_OWNER = 0;

    /**
     * How long a virtual thread that runs an event loop waits; only a thread that the kernel has descheduled holds the
     * lock for longer.
     */
    private static final Duration PATIENCE = Duration.ofMillis(10);

    private final Sync sync;

    public RnicLock() {
        this(PATIENCE);
    }

    /**
     * Creates a lock with a setting for tests.
     *
     * @param patience how long a virtual thread that runs an event loop waits on its carrier before it parks
     */
    RnicLock(Duration patience) {
        this.sync = new Sync(patience.toNanos());
    }

    public void lock() {
        sync.lock();
    }

    public void unlock() {
        boolean _ = sync.release(1);
    }

    public Condition newCondition() {
        return sync.newCondition();
    }

    /** Returns the hold count of the calling thread, 0 if it does not hold the lock. */
    public int holds() {
        return sync.isHeldExclusively() ? sync.holds() : 0;
    }

    /** Returns whether threads may be waiting for the lock. */
    boolean hasQueuedThreads() {
        return sync.hasQueuedThreads();
    }

    /** The state is the owner's hold count. */
    private static final class Sync extends AbstractQueuedSynchronizer {

        private static final long serialVersionUID = 1;

        /** About 50 µs. */
        private static final int VIRTUAL_SPINS = 1000;

        private final long patienceNanos;

        Sync(long patienceNanos) {
            this.patienceNanos = patienceNanos;
        }

        /** Not volatile: only the owner can read its own thread id here, even if other threads read stale values. */
        private long owner;

        void lock() {
            if (!tryAcquire(1) && !(Thread.currentThread().isVirtual() && acquireVirtually())) {
                acquire(1);
            }
        }

        /**
         * Waits without parking: the lock is held for microseconds, and a thread that runs an event loop should not
         * lose its carrier.
         */
        private boolean acquireVirtually() {
            return spin() || CarrierWait.await(this::tryAcquireFree, patienceNanos);
        }

        private boolean tryAcquireFree() {
            return getState() == 0 && tryAcquire(1);
        }

        /**
         * Spins, because the lock is held for microseconds, and a virtual thread that parks may wait long for a
         * carrier.
         */
        private boolean spin() {
            for (int i = 0; i < VIRTUAL_SPINS; i++) {
                Thread.onSpinWait();
                if (tryAcquireFree()) {
                    return true;
                }
            }
            return false;
        }

        @Override
        protected boolean tryAcquire(int count) {
            long me = Thread.currentThread().threadId();
            if (compareAndSetState(0, count)) {
                owner = me;
                return true;
            }
            if (owner == me) {
                setState(getState() + count);
                return true;
            }
            return false;
        }

        @Override
        protected boolean tryRelease(int count) {
            if (!isHeldExclusively()) {
                throw new IllegalMonitorStateException("the calling thread does not hold the RNIC's lock");
            }
            int left = getState() - count;
            if (left == 0) {
                owner = NO_OWNER;
            }
            setState(left);
            return left == 0;
        }

        @Override
        protected boolean isHeldExclusively() {
            return owner == Thread.currentThread().threadId();
        }

        int holds() {
            return getState();
        }

        Condition newCondition() {
            return new ConditionObject();
        }
    }
}
