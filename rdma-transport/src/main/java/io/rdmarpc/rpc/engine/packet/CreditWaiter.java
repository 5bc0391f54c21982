package io.rdmarpc.rpc.engine.packet;

/** Who wants entries of the receive ring and found none. In the pool's queue once at a time. Engine thread only. */
public interface CreditWaiter {

    /** Tells whether it is in the queue. */
    boolean isQueuedForCredit();

    /** It has come into the queue, or has left it. */
    void queuedForCredit(boolean queued);

    /** There is a free entry now; whoever takes less than it wants queues up again. */
    void onCredit(long nowNanos);
}
