package io.rdmarpc.rpc;

/**
 * Reports to a call's handler that the response is no longer needed. The caller has cancelled, the deadline has passed,
 * or the session has ended. This is a hint that may come late, or not at all if a packet is lost. The engine drops the
 * response in any case. Thread-safe.
 */
public interface RpcCancellation {

    /**
     * Returns whether the call is cancelled, as far as this side knows.
     *
     * @return true once the call is cancelled; it stays true
     */
    boolean isCancelled();

    /**
     * Registers a listener that runs when the call is cancelled. It runs at once if the call is cancelled already. It
     * never runs if the response comes first.
     *
     * @param listener run once, on the thread that runs the event loop or on this thread; must not block
     */
    void onCancel(Runnable listener);

    /**
     * Interrupts the current thread when the call is cancelled, until the same thread closes the scope. Closing the
     * scope clears an interrupt that came within it and was not consumed.
     *
     * @return the scope, which the caller closes
     */
    Scope interrupting();

    /** The period in which the thread may be interrupted. */
    interface Scope extends AutoCloseable {

        /** Ends the period. */
        @Override
        void close();
    }
}
