package io.rdmarpc.rpc;

import io.rdmarpc.rpc.error.RpcStatus;

/** Runs a method of a service. */
@FunctionalInterface
public interface RequestHandler {

    /**
     * Runs the method and answers, now or later. What it throws, failures of calls of its own
     * included, is answered as {@link RpcStatus#HANDLER_FAILED} with its class, message and causes in words.
     *
     * @param request the call; the handler answers it
     * @throws Exception whatever the method throws
     */
    void handle(RpcRequest request) throws Exception;
}
