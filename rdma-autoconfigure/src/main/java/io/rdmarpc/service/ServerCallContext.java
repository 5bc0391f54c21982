package io.rdmarpc.service;

import io.rdmarpc.rpc.PeerIdentity;
import org.jspecify.annotations.Nullable;

/**
 * A call as the side that answers it sees it. The method that runs finds its own by {@link #current()}, on its thread and in
 * what is forked from there in a structured task scope.
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
}
