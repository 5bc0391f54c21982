package io.rdmarpc.service;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.PeerIdentity;
import org.jspecify.annotations.Nullable;

/**
 * A call on the side that serves it. {@link #current()} returns it on the method's thread and in forks of a structured
 * task scope. The same holds when that thread later subscribes to a resulting Mono or Flux, or reads the elements
 * of a Stream or Iterator. On other threads of Reactor the call is in the Reactor context with the key
 * {@code ServerCallContext.class}.
 */
public interface ServerCallContext extends CallContext {

    /**
     * Returns the call that this thread serves.
     *
     * @return the call, null if the thread serves none
     */
    static @Nullable ServerCallContext current() {
        return CurrentCall.get();
    }

    @Override
    PeerIdentity peer();

    /**
     * Returns the bean whose method runs.
     *
     * @return the bean with its proxies
     */
    Object bean();

    /**
     * Allocates memory for a result that is a {@link MessageBuffer}.
     *
     * @param bytes the required capacity
     * @return a buffer, owned by the caller until the method returns it
     * @throws io.rdmarpc.rpc.error.RdmaRpcException if it exceeds the maximum message that the peers agreed on
     */
    MessageBuffer allocate(int bytes);

    /**
     * Returns whether the caller has cancelled the call or its deadline has passed, as far as this side knows.
     *
     * @return true if the response is no longer needed
     */
    boolean isCancelled();

    /**
     * Registers a listener for the cancellation of the call.
     *
     * @param listener called once, at once if the call was cancelled already; must not block
     */
    void onCancel(Runnable listener);

    /**
     * Registers thread setup for work after the method has returned: subscribing to its Mono or Flux, and reading its
     * elements. For interceptors that set up threads.
     *
     * @param opener called on the thread of the work, before each such piece of work
     */
    void around(ScopeOpener opener);

    /** Sets up a thread for work on a call. */
    @FunctionalInterface
    interface ScopeOpener {

        /**
         * Sets up the current thread.
         *
         * @return a scope, closed by the same thread in reverse order of opening
         */
        Scope open();
    }

    /** The period in which a thread works for a call. */
    @FunctionalInterface
    interface Scope extends AutoCloseable {

        /** Restores the previous state of the thread. */
        @Override
        void close();
    }
}
