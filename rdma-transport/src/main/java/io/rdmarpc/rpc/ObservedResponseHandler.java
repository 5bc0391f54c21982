package io.rdmarpc.rpc;

/**
 * A handler that is also notified when its call leaves the queue. Before that moment the call waits for the event loop,
 * the window and credits. After it, the time belongs to the network and the server. A tracer uses this to split the
 * time of a call. For a handler without this interface, the engine does no additional work.
 */
public interface ObservedResponseHandler extends ResponseHandler {

    /**
     * Called when the engine has sent the request's first packet, or has queued it to be sent by the end of this duty
     * cycle. Called once, on the thread that runs the event loop, before the call ends. Not called if the call ends in
     * the queue. It must not block and must not throw.
     */
    void onSend();
}
