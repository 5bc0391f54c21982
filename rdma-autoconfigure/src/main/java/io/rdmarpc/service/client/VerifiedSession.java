package io.rdmarpc.service.client;

import io.rdmarpc.rpc.RdmaContractException;
import io.rdmarpc.rpc.RdmaTimeoutException;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcException;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The session of one proxy with one instance, known to offer its service. Any thread. */
final class VerifiedSession extends TargetSessions {

    private final RpcChannel channel;
    private final ServiceContract contract;
    private volatile @Nullable RpcSession verified;
    /** Open, but its server does not offer the service, or not as this side knows it. */
    private volatile @Nullable RpcSession rejected;

    VerifiedSession(RpcChannel channel, ServiceContract contract) {
        this.channel = channel;
        this.contract = contract;
    }

    /** The session when calls can start at once, else null. */
    @Override
    @Nullable
    RpcSession ready() {
        RpcSession session = verified;
        return session != null && session.isOpen() ? session : null;
    }

    /** Tells whether a session is open that was not looked at yet. */
    boolean isNew() {
        if (ready() != null || !channel.isConnected()) {
            return false;
        }
        RpcSession known = rejected;
        return known == null || !known.isOpen();
    }

    /** Tells whether a session is open, looked at or not. */
    boolean isConnected() {
        return channel.isConnected();
    }

    /** Tells whether this is the one that was found good last. */
    @SuppressWarnings("ReferenceEquality")
    boolean holds(RpcSession session) {
        return verified == session;
    }

    @Override
    boolean isReady() {
        return ready() != null;
    }

    @Override
    RpcSession get(@Nullable Object key, long timeoutNanos) {
        RpcSession ready = ready();
        return ready != null ? ready : connect(timeoutNanos);
    }

    private RpcSession connect(long timeoutNanos) {
        if (timeoutNanos <= 0) {
            throw new RdmaTimeoutException("the time was over before a connection was tried");
        }
        RpcSession session = channel.session(Duration.ofNanos(timeoutNanos));
        try {
            channel.verify(session, contract);
        } catch (RdmaContractException e) {
            rejected = session;
            throw e;
        }
        verified = session;
        return session;
    }

    @Override
    RpcSession another(RpcSession failed, @Nullable Object key, long timeoutNanos) {
        return get(key, timeoutNanos);
    }

    /** There is no other one to go to. */
    @Override
    void failed(RpcSession session, RpcException e) {}

    @Override
    void succeeded(RpcSession session) {}
}
