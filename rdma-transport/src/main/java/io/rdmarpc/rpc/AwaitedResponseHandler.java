package io.rdmarpc.rpc;

/**
 * Handles the result of a call for {@link RpcSession#callAndWait}. It unparks the waiting caller when the call ends.
 */
public interface AwaitedResponseHandler extends ResponseHandler {

    /**
     * Returns whether the call has ended. Thread-safe.
     *
     * @return true after the first call of one of the other methods
     */
    boolean hasEnded();
}
