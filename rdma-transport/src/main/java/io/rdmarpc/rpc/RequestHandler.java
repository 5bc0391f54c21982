package io.rdmarpc.rpc;

/** Runs a method of a service. */
@FunctionalInterface
public interface RequestHandler {

    /**
     * Runs the method and answers, now or later. What it throws is answered as {@link RpcStatus#HANDLER_FAILED}.
     *
     * @param request the call; the handler answers it
     * @throws Exception whatever the method throws
     */
    void handle(RpcRequest request) throws Exception;
}
