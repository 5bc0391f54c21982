package io.rdmarpc.rpc.engine.client;

import org.jspecify.annotations.Nullable;

/** How a thread waits for the end of its call. Any thread. */
public interface CallWaiter {

    /** What a caller waits for. The thread that ends it unparks the caller. */
    interface Ending {
        boolean hasEnded();

        /** Sets the thread to unpark at the end; null while the caller runs the loop, or does not wait any more. */
        default void wakes(@Nullable Thread waiter) {}
    }

    /**
     * Returns whether this thread may wait here. A thread that runs the loop already may not. A platform thread would run it, and may
     * not where methods are served: those would run on that thread, or be handed over from it, in the middle of its user's code.
     */
    boolean mayWaitHere();

    /**
     * Begins to wait, before the call is submitted. Returns true if this thread runs the loop from now on.
     *
     * @throws IllegalStateException if this thread runs the loop already: no thread would run it while this one waits
     */
    boolean enter();

    /** Ends what {@link #enter} began when the call could not be submitted. */
    void cancel(boolean byOwner);

    /** Waits for the end of the call, an end of its time, or an interrupt, and ends what {@link #enter} began. */
    void await(Ending call, boolean byOwner, long timeoutNanos);
}
