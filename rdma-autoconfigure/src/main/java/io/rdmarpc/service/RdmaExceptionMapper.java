package io.rdmarpc.service;

import org.jspecify.annotations.Nullable;

/**
 * Decides on the server how an exception of a method ends the call for its caller. Beans of this type are asked in their
 * order, after the methods of {@link RdmaAdvice} beans; the first one with an opinion wins. Any thread.
 */
@FunctionalInterface
public interface RdmaExceptionMapper {

    /**
     * Maps an exception.
     *
     * @param thrown what the method or an interceptor threw; never an {@link RdmaStatusException}, which is its own answer
     * @param call the call
     * @return status, words and perhaps a hint for the caller; null to leave it to others, at last to {@link
     *     io.rdmarpc.rpc.error.RpcStatus#HANDLER_FAILED}
     */
    @Nullable
    RdmaStatusException map(Throwable thrown, ServerCallContext call);
}
