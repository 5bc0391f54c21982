package io.rdmarpc.rpc;

import io.rdmarpc.rpc.error.RpcStatus;

/**
 * Runs a method on bytes. Where its method has no executor it runs on the thread that turns the engine, and a call that fits a
 * packet allocates nothing: then it must be short and never block. On an executor each call costs a few objects.
 */
@FunctionalInterface
@SuppressWarnings("FunctionalInterfaceMethodChanged") // both serve a call; the engine asks which kind it has
public interface BytesHandler extends RequestHandler {

    /**
     * Answers the call, or {@linkplain ServedCall#defer defers} it. A handler that does neither, or throws, has the call
     * answered as {@link RpcStatus#HANDLER_FAILED}.
     *
     * @param call the call, valid until this method returns
     * @throws Exception whatever the method throws
     */
    void serve(ServedCall call) throws Exception;

    @Override
    default void handle(RpcRequest request) throws Exception {
        new ServedRequest(request).serve(this);
    }
}
