package io.rdmarpc.rpc;

import io.rdmarpc.rpc.error.RpcStatus;

/**
 * A handler that some peers may not call. The engine asks before a call costs memory, a READ or a thread, and neither the
 * services nor the methods of such a handler are named to a peer that may not call it.
 */
public interface GuardedHandler extends RequestHandler {

    /**
     * Decides whether a peer may call the method. Asked for each call, on the polling thread, and for questions about
     * contracts, on the thread of the control connections: it must be quick, must not block, and must give the same answer
     * for the life of a session.
     *
     * @param peer the caller; one object for all calls of a session
     * @return whether {@link #handle} may run
     */
    boolean admits(PeerIdentity peer);

    /**
     * Answers a call of a peer that is not admitted, on the polling thread. A call that this method leaves unanswered is
     * answered as {@link RpcStatus#PERMISSION_DENIED}.
     *
     * @param request the call; without its message where that does not fit a packet, for it was not fetched
     */
    void refuse(RpcRequest request);
}
