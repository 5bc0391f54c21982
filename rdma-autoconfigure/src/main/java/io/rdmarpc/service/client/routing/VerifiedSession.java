package io.rdmarpc.service.client.routing;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.error.RdmaContractException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The session of one proxy with one instance, after verification that the instance offers the service. Thread-safe.
 */
final class VerifiedSession extends TargetSessions {

    /** Pause between two verifications if the first one fails immediately. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final RpcChannel channel;
    private final ServiceContract contract;
    private volatile @Nullable RpcSession verified;
    /** Open session whose server does not offer the service, or offers an incompatible contract. */
    private volatile @Nullable RpcSession rejected;

    private volatile @Nullable RdmaContractException rejection;
    private final AtomicBoolean verifying = new AtomicBoolean();

    VerifiedSession(RpcChannel channel, ServiceContract contract) {
        this.channel = channel;
        this.contract = contract;
    }

    /** Returns the session if calls can start without waiting, otherwise null. */
    @Override
    @Nullable
    public RpcSession ready() {
        RpcSession session = verified;
        return session != null && session.takesCalls() ? session : null;
    }

    /** Returns whether a session is open that has not been verified yet. */
    boolean isNew() {
        if (ready() != null || !channel.isConnected()) {
            return false;
        }
        RpcSession known = rejected;
        return known == null || !known.takesCalls();
    }

    /** Verifies a new session on its own thread, unless a verification is already running. */
    void verify(Duration limit, Runnable whenDone) {
        if (isNew()) {
            startVerification(limit, whenDone);
        }
    }

    /** Verifies also a session that was rejected, because its server may offer the service now. */
    void verifyAgain(Duration limit, Runnable whenDone) {
        if (ready() == null && channel.isConnected()) {
            startVerification(limit, whenDone);
        }
    }

    private void startVerification(Duration limit, Runnable whenDone) {
        if (verifying.compareAndSet(false, true)) {
            Thread.ofVirtual().name("rdma-contract").start(() -> {
                try {
                    verifyUntilDone(limit);
                } finally {
                    verifying.set(false);
                    whenDone.run();
                }
            });
        }
    }

    /** Verifies until a verification succeeds or the session has ended. */
    private void verifyUntilDone(Duration limit) {
        do {
            try {
                connect(limit.toNanos());
            } catch (RdmaRpcException e) {
                if (isNew()) {
                    LockSupport.parkNanos(this, PAUSE_NANOS);
                }
            }
        } while (isNew());
    }

    boolean isVerifying() {
        return verifying.get();
    }

    /** Returns why the open session was rejected, or null if it was not. */
    @Nullable
    RdmaContractException rejection() {
        RpcSession known = rejected;
        return known != null && known.takesCalls() && ready() == null ? rejection : null;
    }

    /** Returns whether this session is the last one that was verified. */
    @SuppressWarnings("ReferenceEquality")
    boolean holds(RpcSession session) {
        return verified == session;
    }

    @Override
    public boolean isReady() {
        return ready() != null;
    }

    @Override
    @Nullable
    public RpcSession atOnce(@Nullable Object key) {
        return ready();
    }

    @Override
    public RpcSession get(@Nullable Object key, long timeoutNanos) {
        RpcSession ready = ready();
        return ready != null ? ready : connect(timeoutNanos);
    }

    private RpcSession connect(long timeoutNanos) {
        if (timeoutNanos <= 0) {
            throw new RdmaTimeoutException("the call's timeout passed before a connection was attempted");
        }
        long deadline = System.nanoTime() + timeoutNanos;
        while (true) {
            RpcSession session = channel.session(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
            try {
                channel.verify(session, contract, Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
                verified = session;
                return session;
            } catch (RdmaContractException e) {
                rejection = e;
                rejected = session;
                throw e;
            } catch (RdmaUnavailableException e) {
                // The server is stopping, and the channel has another session or will open one.
                if (session.takesCalls() || deadline - System.nanoTime() <= PAUSE_NANOS) {
                    throw e;
                }
                LockSupport.parkNanos(this, PAUSE_NANOS);
            }
        }
    }

    @Override
    public RpcSession another(RpcSession failed, @Nullable Object key, long timeoutNanos) {
        return get(key, timeoutNanos);
    }

    /** There is no other instance to prefer. */
    @Override
    public void failed(RpcSession session, RdmaRpcException e) {}

    @Override
    public void succeeded(RpcSession session) {}
}
