package io.rdmarpc.rpc;

/**
 * Tells the handler of a call that nobody waits for its answer any more: the caller cancelled, its time is over, or its
 * session has ended. A hint that may come late or, when a packet is lost, not at all; the answer is dropped anyway. Any
 * thread.
 */
public interface RpcCancellation {

    /**
     * Tells whether the caller has given up, as far as this side knows.
     *
     * @return true once it has; it stays true
     */
    boolean isCancelled();

    /**
     * Has something run when the caller gives up; at once when it has already, never when the call is answered before.
     *
     * @param listener run once, on the thread that turns the engine or on this one: it must not block
     */
    void onCancel(Runnable listener);

    /**
     * Interrupts the current thread when the caller gives up, until the scope is closed by the same thread. An interrupt
     * that comes in the scope and is not consumed there ends with it.
     *
     * @return the scope, to be closed by the caller
     */
    Scope interrupting();

    /** The time in which a thread may be interrupted. */
    interface Scope extends AutoCloseable {

        /** Ends it. */
        @Override
        void close();
    }
}
