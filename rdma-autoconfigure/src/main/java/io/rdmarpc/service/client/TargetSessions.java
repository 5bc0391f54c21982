package io.rdmarpc.service.client;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.error.RdmaRpcException;
import org.jspecify.annotations.Nullable;

/** Where the calls of one proxy go: to the one session there is, or to one of several. Any thread. */
abstract sealed class TargetSessions permits VerifiedSession, BalancedSessions {

    static TargetSessions of(RpcChannel channel, ServiceContract contract) {
        return channel instanceof BalancedChannel balanced
                ? new BalancedSessions(balanced, contract)
                : new VerifiedSession(channel, contract);
    }

    /** Tells whether {@link #get} would return at once, as far as can be known. */
    abstract boolean isReady();

    /** A session that is there, else null. */
    abstract @Nullable RpcSession ready();

    /** The session for a call when one can start at once, else null; equal keys as in {@link #get}. */
    abstract @Nullable RpcSession atOnce(@Nullable Object key);

    /**
     * A session for a call, connecting when there is none.
     *
     * @param key equal keys prefer the same instance where the policy is sticky
     * @param timeoutNanos how long to try
     */
    abstract RpcSession get(@Nullable Object key, long timeoutNanos);

    /** A session for a call that is made again: one with another instance than this, when there is one. */
    abstract RpcSession another(RpcSession failed, @Nullable Object key, long timeoutNanos);

    /** A call on this session has failed, however. */
    abstract void failed(RpcSession session, RdmaRpcException e);

    /** A call on this session was answered. */
    abstract void succeeded(RpcSession session);
}
