package io.rdmarpc.rpc;

import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.message.InboundMessage;

/**
 * Receives the result of a call: the engine calls exactly one of its methods, once. That method runs on the thread that
 * runs the event loop: the polling thread, a waiting caller, or a virtual thread of the engine. It runs on the calling
 * thread if the call could not start. It must not block and must not throw.
 */
public interface ResponseHandler {

    /**
     * Receives the response of a call that has succeeded.
     *
     * @param response the response, now owned by the handler, which closes it
     */
    void onResponse(InboundMessage response);

    /**
     * Receives the failure of a call.
     *
     * @param failure the reason
     */
    void onFailure(RdmaRpcException failure);
}
