package io.rdmarpc.rpc;

/** Takes the end of a call whose caller waits for it, see {@link RpcSession#callAndWait}; unparks that thread at the end. */
public interface AwaitedResponseHandler extends ResponseHandler {

    /**
     * Tells whether the end has come. Any thread.
     *
     * @return true after the first call of one of the other methods
     */
    boolean hasEnded();
}
