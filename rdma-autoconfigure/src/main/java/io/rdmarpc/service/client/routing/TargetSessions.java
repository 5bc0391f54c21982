package io.rdmarpc.service.client.routing;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.error.RdmaRpcException;
import org.jspecify.annotations.Nullable;

/**
 * The sessions for the calls of one proxy: a single session, or one to each instance. Internal, for proxies only.
 * Thread-safe.
 */
public abstract sealed class TargetSessions permits InstanceSessions, BalancedSessions {

    /** Permits only the two subclasses here. */
    TargetSessions() {}

    /**
     * Returns the sessions of a channel.
     *
     * @param channel a channel to one instance or to several
     * @param contract the contract that each session verifies before its first call
     * @return the sessions
     */
    public static TargetSessions of(RpcChannel channel, ServiceContract contract) {
        return channel instanceof BalancedChannel balanced
                ? new BalancedSessions(balanced, contract)
                : InstanceSessions.with(channel, contract);
    }

    /**
     * Returns whether {@link #get} would return without waiting.
     *
     * @return a snapshot, which may change at any time
     */
    public abstract boolean isReady();

    /**
     * Returns a session that is ready.
     *
     * @return null if there is none
     */
    public abstract @Nullable RpcSession ready();

    /**
     * Returns the session for a call if the call can start without waiting.
     *
     * @param key as in {@link #get}
     * @return null if no session is ready
     */
    public abstract @Nullable RpcSession atOnce(@Nullable Object key);

    /**
     * Returns a session for a call, and connects if there is none.
     *
     * @param key equal keys prefer the same instance if the policy is sticky
     * @param timeoutNanos maximum time to wait, in nanoseconds
     * @return the session
     */
    public abstract RpcSession get(@Nullable Object key, long timeoutNanos);

    /**
     * Returns a session for a retried call: one with another instance, if there is one.
     *
     * @param failed the session of the failed attempt
     * @param key as in {@link #get}
     * @param timeoutNanos maximum time to wait, in nanoseconds
     * @return the session
     */
    public abstract RpcSession another(RpcSession failed, @Nullable Object key, long timeoutNanos);

    /**
     * Records that a call on a session has failed.
     *
     * @param session the session of the call
     * @param e the failure
     */
    public abstract void failed(RpcSession session, RdmaRpcException e);

    /**
     * Records that a call on a session received its response.
     *
     * @param session the session of the call
     */
    public abstract void succeeded(RpcSession session);
}
