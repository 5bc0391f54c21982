package io.rdmarpc.rpc.engine.client;

import org.jspecify.annotations.Nullable;

/** Waits on the caller's thread for the end of its call. Thread-safe. */
public interface CallWaiter {

    /** The condition that a caller waits for. The thread that ends the call unparks the caller. */
    interface Ending {
        boolean hasEnded();

        /** Sets the thread to unpark at the end; null while the caller runs the event loop, or no longer waits. */
        default void wakes(@Nullable Thread waiter) {}
    }

    /**
     * Returns whether this thread may wait here. A thread that already runs the loop may not. A platform thread would
     * run the loop, so it may not wait here if this engine serves methods. Otherwise, these methods would run on that
     * thread in the middle of the user's code.
     */
    boolean mayWaitHere();

    /**
     * Begins to wait, before the call is submitted. Returns true if this thread runs the loop from now on.
     *
     * @throws IllegalStateException if this thread already runs the loop, which no thread would run while this one
     *     waits
     */
    boolean enter();

    /** Undoes {@link #enter} if the call could not be submitted. */
    void cancel(boolean byOwner);

    /** Waits for the end of the call, its timeout or an interrupt, and ends the wait that {@link #enter} began. */
    void await(Ending call, boolean byOwner, long timeoutNanos);
}
