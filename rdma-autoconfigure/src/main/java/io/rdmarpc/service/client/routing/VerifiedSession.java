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

/** The session of one proxy with one instance on one engine. Thread-safe. */
final class VerifiedSession extends InstanceSessions {

    /** Pause between two verifications if the first one fails immediately. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** How long {@link #openLater} tries to connect, and how long it then waits before it tries again. */
    private static final Duration OPEN_LIMIT = Duration.ofSeconds(5);

    private final RpcChannel channel;
    private final ServiceContract contract;
    private volatile @Nullable RpcSession verified;
    /** Open session whose server does not offer the service, or offers an incompatible contract. */
    private volatile @Nullable RpcSession rejected;

    private volatile @Nullable RdmaContractException rejection;
    private final AtomicBoolean verifying = new AtomicBoolean();
    private volatile long openAgainNanos = System.nanoTime();

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

    @Override
    void verify(Duration limit, Runnable whenDone) {
        if (isNew()) {
            startVerification(limit, whenDone);
        }
    }

    @Override
    void verifyAgain(Duration limit, Runnable whenDone) {
        if (ready() == null && channel.isConnected()) {
            startVerification(limit, whenDone);
        }
    }

    /** Connects and verifies on its own thread, unless that was tried a short time ago. */
    void openLater() {
        if (!verifying.get() && System.nanoTime() - openAgainNanos >= 0) {
            openAgainNanos = System.nanoTime() + 2 * OPEN_LIMIT.toNanos();
            startVerification(OPEN_LIMIT, () -> {
                if (isReady()) {
                    openAgainNanos = System.nanoTime();
                }
            });
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

    @Override
    boolean isVerifying() {
        return verifying.get();
    }

    @Override
    @Nullable
    RdmaContractException rejection() {
        RpcSession known = rejected;
        return known != null && known.takesCalls() && ready() == null ? rejection : null;
    }

    @Override
    @SuppressWarnings("ReferenceEquality")
    boolean holds(RpcSession session) {
        return verified == session;
    }

    @Override
    int callsInFlight() {
        RpcSession session = ready();
        return session == null ? Integer.MAX_VALUE : session.callsInFlight();
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
}
