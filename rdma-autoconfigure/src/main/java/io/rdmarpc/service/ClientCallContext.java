package io.rdmarpc.service;

/** A call as the side that makes it sees it. */
public interface ClientCallContext extends CallContext {

    /**
     * Returns whom the client calls.
     *
     * @return the target's name in the configuration
     */
    String target();

    /**
     * Returns the configured address of the target.
     *
     * @return the same for all calls of a client, also if the target has several instances
     */
    ServerAddress server();
}
