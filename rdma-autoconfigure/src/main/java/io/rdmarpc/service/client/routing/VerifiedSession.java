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

/** The session of one proxy with one instance, known to offer its service. Any thread. */
final class VerifiedSession extends TargetSessions {

    /** Between two questions, should the first fail at once. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final RpcChannel channel;
    private final ServiceContract contract;
    private volatile @Nullable RpcSession verified;
    /** Open, but its server does not offer the service, or not as this side knows it. */
    private volatile @Nullable RpcSession rejected;

    private volatile @Nullable RdmaContractException rejection;
    private final AtomicBoolean asking = new AtomicBoolean();

    VerifiedSession(RpcChannel channel, ServiceContract contract) {
        this.channel = channel;
        this.contract = contract;
    }

    /** The session when calls can start at once, else null. */
    @Override
    @Nullable
    public RpcSession ready() {
        RpcSession session = verified;
        return session != null && session.takesCalls() ? session : null;
    }

    /** Tells whether a session is open that was not looked at yet. */
    boolean isNew() {
        if (ready() != null || !channel.isConnected()) {
            return false;
        }
        RpcSession known = rejected;
        return known == null || !known.takesCalls();
    }

    /** Asks a new session whether it offers the service, on a thread of its own, unless it is asked already. */
    void ask(Duration limit, Runnable whenDone) {
        if (isNew()) {
            startAsking(limit, whenDone);
        }
    }

    /** The same for one that has refused: it may have been given the service in the meantime. */
    void askAgain(Duration limit, Runnable whenDone) {
        if (ready() == null && channel.isConnected()) {
            startAsking(limit, whenDone);
        }
    }

    private void startAsking(Duration limit, Runnable whenDone) {
        if (asking.compareAndSet(false, true)) {
            Thread.ofVirtual().name("rdma-contract").start(() -> {
                try {
                    askUntilAnswered(limit);
                } finally {
                    asking.set(false);
                    whenDone.run();
                }
            });
        }
    }

    /** Or until the session has ended, whatever comes first. */
    private void askUntilAnswered(Duration limit) {
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

    boolean isAsking() {
        return asking.get();
    }

    /** Why the session that is open was rejected; null when it was not. */
    @Nullable
    RdmaContractException rejection() {
        RpcSession known = rejected;
        return known != null && known.takesCalls() && ready() == null ? rejection : null;
    }

    /** Tells whether this is the one that was found good last. */
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
            throw new RdmaTimeoutException("the time was over before a connection was tried");
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
                // Its server stops just now: the channel has another session, or will have.
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

    /** There is no other one to go to. */
    @Override
    public void failed(RpcSession session, RdmaRpcException e) {}

    @Override
    public void succeeded(RpcSession session) {}
}
