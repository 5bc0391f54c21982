package io.rdmarpc.rpc;

import java.time.Duration;

/**
 * The way to one target: connects when first needed and again when the peer comes back. Any thread; blocking calls do
 * not hold a carrier of virtual threads for long.
 */
public interface RpcChannel extends AutoCloseable {

    /**
     * Returns the live session, connecting if there is none.
     *
     * @param timeout how long to try
     * @return an open session
     * @throws RdmaUnavailableException when the target cannot be reached in that time, with the last reason
     * @throws RpcException when the target refuses, with its words
     */
    RpcSession session(Duration timeout);

    /**
     * Makes sure that the peer offers a service as this side knows it; answered from memory after the first time on a
     * session.
     *
     * @param session a session of this channel
     * @param contract what this side knows
     * @throws RdmaContractException when the peer does not offer it or offers it differently, in words
     */
    void verify(RpcSession session, ServiceContract contract);

    /**
     * Does the same for a caller who has less time than a connection may take, or more.
     *
     * @param session a session of this channel
     * @param contract what this side knows
     * @param timeout how long to wait for the peer's word; who asks again waits for the same word
     * @throws RdmaContractException when the peer does not offer it or offers it differently, in words
     * @throws RdmaUnavailableException when the peer has not answered in that time
     */
    void verify(RpcSession session, ServiceContract contract, Duration timeout);

    /**
     * Keeps its sessions although nobody calls, whatever {@link ControlConfig#sessionIdleTimeout} says: for who replaces
     * each session that has ended, and would open one after the other in vain. Called before the first session; a channel
     * that never closes idle sessions does nothing.
     */
    default void keepIdle() {}

    /**
     * Tells whether a session is open now.
     *
     * @return true when calls would start without connecting
     */
    boolean isConnected();

    /** Says goodbye and closes; waiting calls fail. A second call does nothing. */
    @Override
    void close();
}
