package io.rdmarpc.rpc;

import io.rdmarpc.rpc.error.RpcStatus;

/**
 * A handler that admits only some peers. The engine checks a peer before a call uses memory, a READ or a thread. A peer
 * that is not admitted does not learn the names of the handler's services and methods.
 */
public interface GuardedHandler extends RequestHandler {

    /**
     * Decides whether a peer may call the method. The engine calls it for each call, on the thread that runs the event
     * loop. The control thread calls it when a client verifies a contract. It must be quick, must not block, and must
     * return the same value for the whole life of a session.
     *
     * @param peer the caller; one object for all calls of a session
     * @return whether {@link #handle} may run
     */
    boolean admits(PeerIdentity peer);

    /**
     * Responds to a call of a peer that is not admitted, on the thread that runs the event loop. If this method does
     * not respond, the call fails with {@link RpcStatus#PERMISSION_DENIED}.
     *
     * @param request the call; without its message if that does not fit one packet, because it was not fetched
     */
    void reject(RpcRequest request);
}
