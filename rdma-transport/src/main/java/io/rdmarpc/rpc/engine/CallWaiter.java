package io.rdmarpc.rpc.engine;

import org.jspecify.annotations.Nullable;

/** How a thread waits for the end of its call. Any thread. */
interface CallWaiter {

    /** What a caller waits for. Whoever ends it unparks the caller. */
    interface Ending {
        boolean hasEnded();

        /** Says whom to wake at the end; nobody while the thread that waits turns the loop, or does not wait any more. */
        default void wakes(@Nullable Thread waiter) {}
    }

    /**
     * Tells whether this thread may wait here: not one that turns the loop already, and no platform thread, which would turn it, where
     * methods are served. Those would run on that thread or be handed over from it, in the midst of whatever its user does there.
     */
    boolean mayWaitHere();

    /**
     * Begins to wait, before the call is submitted. True when this thread turns the loop from now on.
     *
     * @throws IllegalStateException when this thread turns the loop already: nobody would turn it while it waits
     */
    boolean enter();

    /** Ends what {@link #enter} began when the call could not be submitted. */
    void cancel(boolean seated);

    /** Waits for the end of the call, an end of its time, or an interrupt, and ends what {@link #enter} began. */
    void await(Ending call, boolean seated, long timeoutNanos);
}
