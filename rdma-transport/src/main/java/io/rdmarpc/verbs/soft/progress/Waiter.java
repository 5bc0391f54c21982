package io.rdmarpc.verbs.soft.progress;

import java.util.concurrent.locks.Condition;

/**
 * A thread that waits for an event of an RNIC. An interrupt does not end its wait; its status is restored after the
 * wait.
 */
public final class Waiter {

    private final Condition changed;
    private boolean interrupted;

    /** Creates a waiter; the condition belongs to the RNIC's lock. */
    Waiter(Condition changed) {
        this.changed = changed;
    }

    /** Waits while another thread drives the RNIC. */
    @SuppressWarnings("WaitNotInLoop") // The caller loops and checks its condition.
    public void sleep(long nanos) {
        try {
            // The caller reads the clock itself.
            long ignored = changed.awaitNanos(nanos);
        } catch (InterruptedException e) {
            interrupted = true;
        }
    }

    void wakeUp() {
        changed.signal();
    }

    /** Clears the interrupt status and stores it, so that the next sleep does not end at once. */
    void holdInterrupt() {
        interrupted |= Thread.interrupted();
    }

    /** Restores the interrupt status after the wait. */
    void releaseInterrupt() {
        if (interrupted) {
            interrupted = false;
            Thread.currentThread().interrupt();
        }
    }
}
