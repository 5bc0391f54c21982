package io.rdmarpc.service;

import io.rdmarpc.service.contract.ServiceMethod;
import org.jspecify.annotations.Nullable;

/**
 * Stands around every call that this process makes. Beans of this type are used in their order, the first one outermost. Any
 * thread.
 *
 * <p>Runs on the caller's thread; for a Mono or Flux on the subscriber's, once for each subscription. Who wants to know the
 * end of a call uses {@link CallContext#onEnd}: what {@link CallContext.Next#proceed} returns may be a future or a stream.
 */
@FunctionalInterface
public interface RdmaClientInterceptor {

    /**
     * Stands around a call.
     *
     * @param call the call
     * @param next the rest of it
     * @return what the caller gets: as a rule what the rest returned, else something of the method's return type
     * @throws Throwable instead of the result
     */
    @Nullable
    Object intercept(ClientCallContext call, CallContext.Next next) throws Throwable;

    /**
     * Tells whether calls of a method are to go through this interceptor. Asked once for each method, at start-up; a method
     * to which none applies costs no more than without interceptors.
     *
     * @param method the method
     * @return true for all, unless overridden
     */
    default boolean appliesTo(ServiceMethod method) {
        return true;
    }
}
