package io.rdmarpc.service;

import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.contract.ServiceMethod;
import org.jspecify.annotations.Nullable;

/**
 * Stands around every call that this process answers. Beans of this type are used in their order, the first one outermost.
 * Any thread.
 *
 * <p>Runs where the method runs, after its arguments were read. What it throws is answered as what the method throws; an
 * {@link RdmaStatusException} says with which status. Who wants to know the end of a call uses {@link CallContext#onEnd}:
 * what {@link CallContext.Next#proceed} returns may be a future or a stream.
 */
@FunctionalInterface
public interface RdmaServerInterceptor {

    /**
     * Stands around a call.
     *
     * @param call the call
     * @param next the rest of it
     * @return what the method returns: as a rule what the rest returned, else something of its return type
     * @throws Throwable instead of an answer
     */
    @Nullable
    Object intercept(ServerCallContext call, CallContext.Next next) throws Throwable;

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

    /**
     * Hears of a call that was answered before it came here: the server had too much to do or was stopping, the peer may not
     * call the service, the caller's time was over, or the arguments could not be read. Without it such calls would be missing
     * in what an interceptor counts.
     *
     * @param call the call, without arguments
     * @param status what it was answered with
     * @param failure why, null where the status says it
     */
    default void refused(ServerCallContext call, RpcStatus status, @Nullable Throwable failure) {}
}
