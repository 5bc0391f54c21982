package io.rdmarpc.rpc;

/**
 * A handler that is also notified when its call leaves the queue. Before that moment the call waits for the event loop,
 * the window and credits. After it, the time belongs to the network and the server. A tracer uses this to split the
 * time of a call. Handlers without this interface cost the engine nothing.
 */
public interface ObservedResponseHandler extends ResponseHandler {

    /**
     * Called when the request is in its first packet, which leaves at the end of this duty cycle. Called once, on the
     * thread that runs the event loop, before the call ends. Not called if the call ends in the queue. It must not
     * block and must not throw.
     */
    void onSend();
}
