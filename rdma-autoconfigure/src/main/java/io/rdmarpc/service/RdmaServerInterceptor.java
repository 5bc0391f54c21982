package io.rdmarpc.service;

import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.contract.ServiceMethod;
import org.jspecify.annotations.Nullable;

/**
 * Intercepts every call that this process serves. Beans of this type are applied in their order, the first one
 * outermost. Implementations must be thread-safe.
 *
 * <p>Runs on the thread of the method, after the arguments were decoded. Its exceptions are handled like those of the
 * method; an {@link RdmaStatusException} determines the status. Use {@link CallContext#onEnd} to observe the end of a
 * call, because the result of {@link CallContext.Next#proceed} may be a future or a stream.
 */
@FunctionalInterface
public interface RdmaServerInterceptor {

    /**
     * Intercepts a call.
     *
     * @param call the call
     * @param next the remaining interceptors and the method
     * @return the result of the method: usually that of {@code next}, otherwise a value of its return type
     * @throws Throwable to fail the call
     */
    @Nullable
    Object intercept(ServerCallContext call, CallContext.Next next) throws Throwable;

    /**
     * Returns whether this interceptor applies to a method. Evaluated once for each method, at startup; a method
     * without interceptors has no overhead.
     *
     * @param method the method
     * @return true for all methods, unless overridden
     */
    default boolean appliesTo(ServiceMethod method) {
        return true;
    }

    /**
     * Handles a call that was rejected before it reached the interceptors, so that an interceptor can count such
     * calls. A call is rejected if the server is overloaded or stopping, the peer may not call the service, the
     * deadline has passed, or the arguments could not be decoded.
     *
     * @param call the call, without arguments
     * @param status the status of the response
     * @param failure the reason, null if the status describes it
     */
    default void rejected(ServerCallContext call, RpcStatus status, @Nullable Throwable failure) {}
}
