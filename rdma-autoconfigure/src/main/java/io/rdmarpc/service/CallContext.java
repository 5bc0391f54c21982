package io.rdmarpc.service;

import io.rdmarpc.rpc.PeerIdentity;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.contract.ServiceMethod;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A call on either side, as interceptors see it. A call of the application has one context, even if it is retried. */
public interface CallContext {

    /**
     * Returns the called method.
     *
     * @return the method with its service, name, types and declaration
     */
    ServiceMethod method();

    /**
     * Returns the called service.
     *
     * @return the service name
     */
    default String service() {
        return method().service();
    }

    /**
     * Returns the arguments in order.
     *
     * @return the arguments of the call; the method receives elements that an interceptor has changed
     */
    @Nullable
    Object[] arguments();

    /**
     * Returns the metadata that is sent with the arguments.
     *
     * @return writable on the client until {@link Next#proceed}; read-only on the server
     */
    CallMetadata metadata();

    /**
     * Returns the remaining time of the call.
     *
     * @return nanoseconds, 0 or less after the deadline
     */
    long remainingNanos();

    /**
     * Returns the remaining time of the call.
     *
     * @return the time, zero after the deadline
     */
    default Duration remaining() {
        return Duration.ofNanos(Math.max(0, remainingNanos()));
    }

    /**
     * Returns the identity of the other side.
     *
     * @return its address and, with TLS, its name; null on a client that has not connected yet
     */
    @Nullable
    PeerIdentity peer();

    /**
     * Registers a listener for the end of the call, regardless of whether the method returns a value, a future or a
     * stream.
     *
     * @param listener called once, on the thread that ends the call; must not block
     */
    void onEnd(EndListener listener);

    /** A listener for the end of a call. Its exceptions are logged and do not affect the call. */
    @FunctionalInterface
    interface EndListener {

        /**
         * Handles the end of the call.
         *
         * @param status the status of the call
         * @param failure the exception that the caller receives, or that the method threw; null if it returned
         */
        void onEnd(RpcStatus status, @Nullable Throwable failure);
    }

    /** The remaining interceptors and the call itself. */
    @FunctionalInterface
    interface Next {

        /**
         * Continues with the next interceptor, or with the call after the last one.
         *
         * @return the result of the method: the value, the future or the stream
         * @throws Throwable the failure of the call, unless its method returns a future or stream
         */
        @Nullable
        Object proceed() throws Throwable;
    }
}
