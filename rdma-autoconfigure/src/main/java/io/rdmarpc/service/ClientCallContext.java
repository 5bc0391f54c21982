package io.rdmarpc.service;

/** A call on the side of the caller. */
public interface ClientCallContext extends CallContext {

    /**
     * Returns the target of the call.
     *
     * @return the name of the target in the configuration
     */
    String target();

    /**
     * Returns the configured address of the target.
     *
     * @return the same address for all calls of a client, even if the target has several instances
     */
    ServerAddress server();
}
