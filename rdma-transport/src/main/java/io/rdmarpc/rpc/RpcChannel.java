package io.rdmarpc.rpc;

import io.rdmarpc.rpc.config.ControlConfig;
import io.rdmarpc.rpc.error.RdmaContractException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import java.time.Duration;

/**
 * The way to one target: connects when first needed and again when the peer comes back. Any thread; blocking calls do
 * not hold a carrier of virtual threads for long.
 */
public interface RpcChannel extends AutoCloseable {

    /**
     * Returns the session that takes calls, connecting if there is none. When its server announces that it is stopping, the
     * channel connects again; calls that have arrived there go on in the old session.
     *
     * @param timeout how long to try
     * @return an open session
     * @throws RdmaUnavailableException when the target cannot be reached in that time, with the last reason
     * @throws RdmaRpcException when the target refuses, with its words
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
     * Counts calls and streams that have begun and not ended, also those of sessions whose server is stopping. {@link #close}
     * ends them.
     *
     * @return 0 when idle
     */
    default int underWay() {
        if (!isConnected()) {
            return 0;
        }
        RpcSession session = session(Duration.ofMillis(1));
        return session.callsInFlight() + session.openStreams();
    }

    /**
     * Tells whether a session that takes calls is open now.
     *
     * @return true when calls would start without connecting
     */
    boolean isConnected();

    /** Says goodbye and closes; waiting calls fail. A second call does nothing. */
    @Override
    void close();
}
