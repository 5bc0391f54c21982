package io.rdmarpc.service;

import io.rdmarpc.rpc.error.RpcStatus;
import org.jspecify.annotations.Nullable;

/**
 * Observes the calls of one method. Called on any thread; must not block. Its exceptions are logged and do not affect
 * the call.
 */
@FunctionalInterface
public interface MethodObserver {

    /** An observer that ignores all calls. */
    MethodObserver NONE = (status, failure, nanos) -> {};

    /**
     * Handles the end of a call.
     *
     * @param status the status of the call
     * @param failure the exception that the caller receives, or that the method threw on the server; null if it
     *     returned
     * @param nanos the duration in nanoseconds
     */
    void onEnd(RpcStatus status, @Nullable Throwable failure, long nanos);

    /**
     * Wraps an observer so that its exceptions do not affect calls.
     *
     * @param observer an observer that may throw
     * @return an observer that logs the exceptions instead
     */
    static MethodObserver harmless(MethodObserver observer) {
        return observer.equals(NONE) ? NONE : new HarmlessObserver(observer);
    }
}
