package io.rdmarpc.rpc.engine.packet;

/**
 * A component that waits for free entries of the receive ring. It is in the pool's queue at most once. Engine thread
 * only.
 */
public interface CreditWaiter {

    /** Returns whether it is in the queue. */
    boolean isQueuedForCredit();

    /** Called when it has entered or left the queue. */
    void queuedForCredit(boolean queued);

    /** Called when there is a free entry. A waiter that gets fewer entries than it wants queues again. */
    void onCredit(long nowNanos);
}
