package io.rdmarpc.service;

import io.rdmarpc.rpc.error.RpcStatus;
import org.jspecify.annotations.Nullable;

/** Hears about the calls of one method. Any thread; must not block. What it throws is logged and harms no call. */
@FunctionalInterface
public interface MethodObserver {

    /** Hears nothing. */
    MethodObserver NONE = (status, failure, nanos) -> {};

    /**
     * A call has ended.
     *
     * @param status how
     * @param failure what the caller is told, or what the method threw on the server; null when it returned
     * @param nanos how long it took
     */
    void onEnd(RpcStatus status, @Nullable Throwable failure, long nanos);

    /**
     * Keeps the failures of an observer from the calls it hears about.
     *
     * @param observer may throw
     * @return one that does the same and does not
     */
    static MethodObserver harmless(MethodObserver observer) {
        return observer.equals(NONE) ? NONE : new HarmlessObserver(observer);
    }
}
