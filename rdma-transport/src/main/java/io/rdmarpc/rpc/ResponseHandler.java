package io.rdmarpc.rpc;

import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.message.InboundMessage;

/**
 * Takes the end of a call: exactly one of its methods is called, once. It runs on the thread that turns the engine - the polling
 * thread, a caller that waits, or a virtual thread of the engine's own - or on the caller's when the call could not even start: it
 * must not block and must not throw.
 */
public interface ResponseHandler {

    /**
     * The method returned.
     *
     * @param response the reply, now owned by the handler, which closes it
     */
    void onResponse(InboundMessage response);

    /**
     * The call failed.
     *
     * @param failure why
     */
    void onFailure(RdmaRpcException failure);
}
