package io.rdmarpc.service.client;

import io.rdmarpc.rpc.RdmaTimeoutException;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The session of one proxy, known to offer its service. Any thread. */
final class VerifiedSession {

    private final RpcChannel channel;
    private final ServiceContract contract;
    private volatile @Nullable RpcSession verified;

    VerifiedSession(RpcChannel channel, ServiceContract contract) {
        this.channel = channel;
        this.contract = contract;
    }

    /** The session when calls can start at once, else null. */
    @Nullable
    RpcSession ready() {
        RpcSession session = verified;
        return session != null && session.isOpen() ? session : null;
    }

    /** The session, connecting when there is none. */
    RpcSession get(long timeoutNanos) {
        RpcSession ready = ready();
        return ready != null ? ready : connect(timeoutNanos);
    }

    private RpcSession connect(long timeoutNanos) {
        if (timeoutNanos <= 0) {
            throw new RdmaTimeoutException("the time was over before a connection was tried");
        }
        RpcSession session = channel.session(Duration.ofNanos(timeoutNanos));
        channel.verify(session, contract);
        verified = session;
        return session;
    }
}
