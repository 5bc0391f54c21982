package io.rdmarpc.service.client.routing;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.error.RdmaContractException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The sessions of one proxy with one instance, after verification that the instance offers the service. Thread-safe. */
abstract sealed class InstanceSessions extends TargetSessions permits VerifiedSession, SpreadSessions {

    /** Returns the sessions over a channel to one instance: one session on each engine. */
    static InstanceSessions with(RpcChannel channel, ServiceContract contract) {
        return channel.maxEngines() == 1
                ? new VerifiedSession(channel, contract)
                : new SpreadSessions(channel, contract);
    }

    /** Verifies a new session on its own thread, unless a verification is already running. */
    abstract void verify(Duration limit, Runnable whenDone);

    /** Verifies also a session that was rejected, because its server may offer the service now. */
    abstract void verifyAgain(Duration limit, Runnable whenDone);

    abstract boolean isVerifying();

    /** Returns why the open session was rejected, or null if it was not. */
    abstract @Nullable RdmaContractException rejection();

    /** Returns whether this session is one of these, and has been verified. */
    abstract boolean holds(RpcSession session);

    /** Returns the number of calls in flight, or the highest number if no session is ready. */
    abstract int callsInFlight();

    @Override
    public final boolean isReady() {
        return ready() != null;
    }

    /** There is no other instance to prefer. */
    @Override
    public final RpcSession another(RpcSession failed, @Nullable Object key, long timeoutNanos) {
        return get(key, timeoutNanos);
    }

    @Override
    public final void failed(RpcSession session, RdmaRpcException e) {}

    @Override
    public final void succeeded(RpcSession session) {}
}
