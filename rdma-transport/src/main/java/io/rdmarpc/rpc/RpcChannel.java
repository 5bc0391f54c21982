package io.rdmarpc.rpc;

import io.rdmarpc.rpc.config.ControlConfig;
import io.rdmarpc.rpc.error.RdmaContractException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import java.time.Duration;
import java.util.List;

/**
 * A channel to one target. It connects on first use, and reconnects after its session has ended. Thread-safe. Blocking
 * calls pin a carrier of virtual threads for a short time only.
 */
public interface RpcChannel extends AutoCloseable {

    /**
     * Returns the session for new calls, and connects if there is none. When the server announces that it is stopping,
     * the channel opens another session. Calls that the server has received continue in the old session.
     *
     * @param timeout how long to retry
     * @return an open session
     * @throws RdmaUnavailableException if the target cannot be reached within the timeout, with the last reason
     * @throws RdmaRpcException if the target rejects the session, with the target's message
     */
    RpcSession session(Duration timeout);

    /**
     * Verifies that the peer offers a service with the same contract. Later verifications on the same session return
     * the cached result.
     *
     * @param session a session of this channel
     * @param contract the contract of this side
     * @throws RdmaContractException if the peer does not offer the service or its contract differs, with the
     *     differences
     */
    void verify(RpcSession session, ServiceContract contract);

    /**
     * Verifies a contract with a given timeout instead of the connect timeout.
     *
     * @param session a session of this channel
     * @param contract the contract of this side
     * @param timeout how long to wait for the peer's response; a second call while the first one waits shares its
     *     response
     * @throws RdmaContractException if the peer does not offer the service or its contract differs, with the
     *     differences
     * @throws RdmaUnavailableException if the peer has not responded within the timeout
     */
    void verify(RpcSession session, ServiceContract contract, Duration timeout);

    /**
     * Keeps idle sessions open, regardless of {@link ControlConfig#sessionIdleTimeout}. A pool that replaces each ended
     * session would otherwise reopen idle sessions again and again. Call it before the first session. The default does
     * nothing.
     */
    default void keepIdle() {}

    /**
     * Returns channels to the same target, one for each engine of the runtime. The session of each is on its engine,
     * unless it uses the fallback path. Threads that use different ones do not wait for each other. This channel is one
     * of them. The others connect on first use, to the server of this channel's session, which must be open. {@link
     * #close} closes them.
     *
     * <p>If the runtime changes the number of its engines, the list is live: its size changes, and so may the position
     * of this channel. An index from 0 to {@link #maxEngines} that the list has had stays valid.
     *
     * @return the channels by the number of their engine; by default only this channel
     */
    default List<RpcChannel> perEngine() {
        return List.of(this);
    }

    /**
     * Returns how many channels {@link #perEngine} may have at most.
     *
     * @return a number from 1
     */
    default int maxEngines() {
        return perEngine().size();
    }

    /**
     * Returns the number of calls and streams that have begun and not ended, on all engines. It includes those of sessions whose server
     * is stopping. {@link #close} ends them.
     *
     * @return 0 if idle
     */
    default int underWay() {
        if (!isConnected()) {
            return 0;
        }
        RpcSession session = session(Duration.ofMillis(1));
        return session.callsInFlight() + session.openStreams();
    }

    /**
     * Returns whether a session for new calls is open.
     *
     * @return true if calls would start without connecting
     */
    boolean isConnected();

    /** Notifies the peer and closes; calls in flight fail. A second call does nothing. */
    @Override
    void close();
}
