package io.rdmarpc.verbs.soft.progress;

import java.util.concurrent.locks.Condition;

/** A thread that waits for something to happen on a RNIC. An interrupt does not end its wait but is kept for later. */
public final class Waiter {

    private final Condition changed;
    private boolean interrupted;

    /** Makes one; the condition belongs to the RNIC's lock. */
    Waiter(Condition changed) {
        this.changed = changed;
    }

    /** Waits without driving. */
    @SuppressWarnings("WaitNotInLoop") // The caller loops: it knows what is waited for.
    public void sleep(long nanos) {
        try {
            // Nobody needs what is left: the caller looks at the clock itself.
            long ignored = changed.awaitNanos(nanos);
        } catch (InterruptedException e) {
            interrupted = true;
        }
    }

    void wakeUp() {
        changed.signal();
    }

    /** Takes the interrupt away, so that the next sleep is one. */
    void holdInterrupt() {
        interrupted |= Thread.interrupted();
    }

    /** Gives the interrupt back after the wait. */
    void releaseInterrupt() {
        if (interrupted) {
            interrupted = false;
            Thread.currentThread().interrupt();
        }
    }
}
