package io.rdmarpc.rpc;

import io.rdmarpc.rpc.error.RpcStatus;

/**
 * Runs a method on bytes. Without an executor, the method runs on the thread that runs the event loop. It must then be
 * short and must never block, and a call that fits one packet allocates nothing. With an executor, each call allocates
 * a few objects.
 */
@FunctionalInterface
@SuppressWarnings("FunctionalInterfaceMethodChanged") // both serve a call; the engine checks the type of a handler
public interface BytesHandler extends RequestHandler {

    /**
     * Responds to the call, or {@linkplain ServedCall#defer defers} it. If the handler does neither, or throws, the
     * call fails with {@link RpcStatus#HANDLER_FAILED}.
     *
     * @param call the call, valid until this method returns
     * @throws Exception any exception of the method
     */
    void serve(ServedCall call) throws Exception;

    @Override
    default void handle(RpcRequest request) throws Exception {
        new ServedRequest(request).serve(this);
    }
}
