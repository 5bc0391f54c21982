package io.rdmarpc.rpc;

import io.rdmarpc.rpc.error.RpcStatus;

/** Runs a method of a service. */
@FunctionalInterface
public interface RequestHandler {

    /**
     * Runs the method and responds, now or later. If the handler throws, the call fails with
     * {@link RpcStatus#HANDLER_FAILED}. This includes failures of calls that the handler makes. The response then has
     * the exception's class, message and causes.
     *
     * @param request the call; the handler responds to it
     * @throws Exception any exception of the method
     */
    void handle(RpcRequest request) throws Exception;
}
