package io.rdmarpc.verbs.soft.progress;

import io.rdmarpc.concurrent.CarrierWait;
import java.time.Duration;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import java.util.concurrent.locks.Condition;

/**
 * The lock of a RNIC: reentrant, not fair, with conditions. It is taken several times for each packet, so it differs from
 * {@link java.util.concurrent.locks.ReentrantLock} in that it notes its owner by number: a reference that is stored in an old
 * object costs a fence with G1 (until JEP 522 of JDK 26).
 */
public final class RnicLock {

    private static final long NOBODY = 0;

    /** For a virtual thread that turns a loop: longer than this is held, but for a thread that the kernel has stopped. */
    private static final Duration PATIENCE = Duration.ofMillis(10);

    private final Sync sync;

    public RnicLock() {
        this(PATIENCE);
    }

    /**
     * Makes one with a setting of a test.
     *
     * @param patience how long a virtual thread that turns a loop waits on its carrier before it parks
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

    /** Returns how often the calling thread has taken it, 0 when it does not hold it. */
    public int holds() {
        return sync.isHeldExclusively() ? sync.holds() : 0;
    }

    /** Tells whether threads may be waiting for it. */
    boolean hasQueuedThreads() {
        return sync.hasQueuedThreads();
    }

    /** Its state is how often the owner holds it. */
    private static final class Sync extends AbstractQueuedSynchronizer {

        private static final long serialVersionUID = 1;

        /** Some 50 us. */
        private static final int VIRTUAL_SPINS = 1000;

        private final long patienceNanos;

        Sync(long patienceNanos) {
            this.patienceNanos = patienceNanos;
        }

        /** Only its owner finds its own number here, whatever others see. */
        private long owner;

        void lock() {
            if (!tryAcquire(1) && !(Thread.currentThread().isVirtual() && acquireVirtually())) {
                acquire(1);
            }
        }

        /** It is held for microseconds. Who turns a loop for others does not park for longer either. */
        private boolean acquireVirtually() {
            return spin() || CarrierWait.await(this::tryAcquireFree, patienceNanos);
        }

        private boolean tryAcquireFree() {
            return getState() == 0 && tryAcquire(1);
        }

        /** It is held for microseconds, and who waits without its carrier may be without it for long. */
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
                throw new IllegalMonitorStateException("this thread does not hold the RNIC's lock");
            }
            int left = getState() - count;
            if (left == 0) {
                owner = NOBODY;
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
