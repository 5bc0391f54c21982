package io.rdmarpc.service;

import io.rdmarpc.service.contract.ServiceMethod;
import org.jspecify.annotations.Nullable;

/**
 * Intercepts every call of this process. Beans of this type are applied in their order, the first one outermost.
 * Implementations must be thread-safe.
 *
 * <p>Runs on the caller's thread; for a Mono or Flux on the subscriber's thread, once for each subscription. Use
 * {@link CallContext#onEnd} to observe the end of a call, because the result of {@link CallContext.Next#proceed} may be
 * a future or a stream.
 */
@FunctionalInterface
public interface RdmaClientInterceptor {

    /**
     * Intercepts a call.
     *
     * @param call the call
     * @param next the remaining interceptors and the call itself
     * @return the result for the caller: usually that of {@code next}, otherwise a value of the method's return type
     * @throws Throwable to fail the call
     */
    @Nullable
    Object intercept(ClientCallContext call, CallContext.Next next) throws Throwable;

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
}
