package io.rdmarpc.service;

import org.jspecify.annotations.Nullable;

/**
 * Maps exceptions of methods on the server to the status and message for the caller. Beans of this type are called in
 * their order, after the methods of {@link RdmaAdvice} beans; the first result that is not null applies.
 * Implementations must be thread-safe.
 */
@FunctionalInterface
public interface RdmaExceptionMapper {

    /**
     * Maps an exception.
     *
     * @param thrown the exception of the method or an interceptor; never an {@link RdmaStatusException}, which is not
     *     mapped
     * @param call the call
     * @return status, message and optionally details for the caller. Null lets the next mapper decide. If all
     *     results are null, the status is {@link io.rdmarpc.rpc.error.RpcStatus#HANDLER_FAILED}
     */
    @Nullable
    RdmaStatusException map(Throwable thrown, ServerCallContext call);
}
