package io.rdmarpc.service.client.routing;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.error.RdmaRpcException;
import org.jspecify.annotations.Nullable;

/** Where the calls of one proxy go: to the one session there is, or to one of several. Internal: for proxies only. Any thread. */
public abstract sealed class TargetSessions permits VerifiedSession, BalancedSessions {

    /** Only the two kinds here. */
    TargetSessions() {}

    /**
     * Returns the sessions of a channel.
     *
     * @param channel to one instance or to several
     * @param contract what each session verifies before its first call
     * @return the sessions
     */
    public static TargetSessions of(RpcChannel channel, ServiceContract contract) {
        return channel instanceof BalancedChannel balanced
                ? new BalancedSessions(balanced, contract)
                : new VerifiedSession(channel, contract);
    }

    /**
     * Returns whether {@link #get} would return at once.
     *
     * @return as far as can be known
     */
    public abstract boolean isReady();

    /**
     * Returns a session that is there.
     *
     * @return null if there is none
     */
    public abstract @Nullable RpcSession ready();

    /**
     * Returns the session for a call if one can start at once.
     *
     * @param key as in {@link #get}
     * @return null if none can
     */
    public abstract @Nullable RpcSession atOnce(@Nullable Object key);

    /**
     * Returns a session for a call, and connects if there is none.
     *
     * @param key equal keys prefer the same instance where the policy is sticky
     * @param timeoutNanos how long to try
     * @return the session
     */
    public abstract RpcSession get(@Nullable Object key, long timeoutNanos);

    /**
     * Returns a session for a call that is made again: one with another instance, if there is one.
     *
     * @param failed the session of the attempt before
     * @param key as in {@link #get}
     * @param timeoutNanos how long to try
     * @return the session
     */
    public abstract RpcSession another(RpcSession failed, @Nullable Object key, long timeoutNanos);

    /**
     * Records that a call on a session has failed.
     *
     * @param session of the call
     * @param e any failure
     */
    public abstract void failed(RpcSession session, RdmaRpcException e);

    /**
     * Records that a call on a session got its response.
     *
     * @param session of the call
     */
    public abstract void succeeded(RpcSession session);
}
