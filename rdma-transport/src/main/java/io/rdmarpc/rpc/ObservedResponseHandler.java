package io.rdmarpc.rpc;

/**
 * A handler that also hears when its call leaves the queue: what came before was waiting for the polling thread, the
 * window and credits, what comes after is the network and the server. For those who want to know where the time of one call
 * went; a handler without it costs the engine nothing.
 */
public interface ObservedResponseHandler extends ResponseHandler {

    /**
     * The request was put into its first packet, which leaves with this turn of the engine. Called once, on the polling
     * thread, before the call ends; not at all when it ends in the queue. It must not block and must not throw.
     */
    void onSend();
}
