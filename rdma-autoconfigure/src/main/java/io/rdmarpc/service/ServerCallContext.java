package io.rdmarpc.service;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.PeerIdentity;
import org.jspecify.annotations.Nullable;

/**
 * A call as the side that answers it sees it. The method that runs finds its own by {@link #current()}, on its thread and in
 * what is forked from there in a structured task scope; so does what runs on that thread later, when its Mono or Flux is
 * subscribed to and the elements of its Stream or Iterator are taken. On other threads of Reactor it is in the context, under
 * {@code ServerCallContext.class}.
 */
public interface ServerCallContext extends CallContext {

    /**
     * Returns the call that this thread answers.
     *
     * @return the call, null where none is answered
     */
    static @Nullable ServerCallContext current() {
        return CurrentCall.get();
    }

    @Override
    PeerIdentity peer();

    /**
     * Returns the bean whose method runs.
     *
     * @return with its proxies
     */
    Object bean();

    /**
     * Allocates memory for a result that is a {@link MessageBuffer}.
     *
     * @param bytes how much it must hold
     * @return a buffer, owned by the caller until the method returns it
     * @throws io.rdmarpc.rpc.error.RdmaRpcException when that is more than peers agreed on
     */
    MessageBuffer allocate(int bytes);

    /**
     * Tells whether the caller has given up, as far as this side knows.
     *
     * @return true once work for the answer is in vain
     */
    boolean isCancelled();

    /**
     * Asks to be told when the caller gives up.
     *
     * @param listener told once, at once when it has already; must not block
     */
    void onCancel(Runnable listener);

    /**
     * Has something set up also around what runs when the method has returned: the subscription to its Mono or Flux, and the
     * taking of its elements. For interceptors that set up threads.
     *
     * @param opener called on the thread that runs it, before each such piece of work
     */
    void around(ScopeOpener opener);

    /** Sets up a thread for a call. */
    @FunctionalInterface
    interface ScopeOpener {

        /**
         * Sets up the current thread.
         *
         * @return closed by the same thread, the one that was opened last first
         */
        Scope open();
    }

    /** The time in which a thread works for a call. */
    @FunctionalInterface
    interface Scope extends AutoCloseable {

        /** Leaves the thread as it was. */
        @Override
        void close();
    }
}
