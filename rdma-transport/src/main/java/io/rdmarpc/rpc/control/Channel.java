package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.RdmaUnavailableException;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcException;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.RpcStatus;
import io.rdmarpc.rpc.ServiceContract;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The way to one target. Connects under a lock; callers that find an open session take none. */
final class Channel implements RpcChannel {

    private static final long FIRST_PAUSE_MILLIS = 20;
    private static final long LONGEST_PAUSE_MILLIS = 500;

    private final ControlPlane plane;
    private final String target;
    private final InetSocketAddress address;
    private final ReentrantLock connecting = new ReentrantLock();
    private volatile @Nullable ClientControl current;
    private volatile boolean closed;

    Channel(ControlPlane plane, String target, InetSocketAddress address) {
        this.plane = plane;
        this.target = target;
        this.address = address;
    }

    @Override
    public RpcSession session(Duration timeout) {
        ClientControl control = current;
        if (control != null && control.session().isOpen()) {
            return control.session();
        }
        return connect(System.nanoTime() + timeout.toNanos(), timeout);
    }

    private RpcSession connect(long deadline, Duration timeout) {
        lock(deadline, timeout);
        try {
            ClientControl control = current;
            if (control != null && control.session().isOpen()) {
                return control.session();
            }
            ClientControl fresh = connectUntil(deadline, timeout);
            current = fresh;
            if (closed) {
                // Whoever closed the channel has not seen this session.
                disconnect("the client is closing");
                throw closedChannel();
            }
            return fresh.session();
        } finally {
            connecting.unlock();
        }
    }

    private void lock(long deadline, Duration timeout) {
        try {
            if (!connecting.tryLock(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS)) {
                throw unreachable(timeout, "another caller is still trying", null);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RpcException(RpcStatus.CANCELLED, "interrupted while waiting for a session with " + address, e);
        }
    }

    /** Tries until it works, with pauses that grow and vary, so that many clients do not come back in one moment. */
    private ClientControl connectUntil(long deadline, Duration timeout) {
        long pause = FIRST_PAUSE_MILLIS;
        while (true) {
            if (closed) {
                throw closedChannel();
            }
            try {
                return plane.connect(address, limit(deadline));
            } catch (IOException e) {
                long jittered = pause / 2 + ThreadLocalRandom.current().nextLong(pause);
                if (deadline - System.nanoTime() < TimeUnit.MILLISECONDS.toNanos(jittered)) {
                    throw unreachable(timeout, String.valueOf(e.getMessage()), e);
                }
                sleep(jittered);
                pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
            }
        }
    }

    private Duration limit(long deadline) {
        Duration left = Duration.ofNanos(Math.max(1_000_000, deadline - System.nanoTime()));
        Duration most = plane.connectTimeout();
        return left.compareTo(most) < 0 ? left : most;
    }

    private void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RpcException(RpcStatus.CANCELLED, "interrupted while connecting to " + address, e);
        }
    }

    private RdmaUnavailableException unreachable(Duration timeout, String why, @Nullable Exception cause) {
        return new RdmaUnavailableException(
                describe() + " could not be reached within " + timeout.toMillis() + " ms: " + why
                        + ". Is the server running, and rdma.client.targets." + target + ".address right?",
                cause);
    }

    private RdmaUnavailableException closedChannel() {
        return new RdmaUnavailableException("the channel to " + describe() + " is closed");
    }

    private String describe() {
        return "target " + target + " at " + address.getHostString() + ":" + address.getPort();
    }

    @Override
    public void verify(RpcSession session, ServiceContract contract) {
        ClientControl control = current;
        if (control == null || control.session() != session) {
            throw new RdmaUnavailableException("the session with " + describe() + " has ended: call again");
        }
        control.verify(contract);
    }

    @Override
    public boolean isConnected() {
        ClientControl control = current;
        return control != null && control.session().isOpen();
    }

    /** Ends the session; a later call connects again. */
    void disconnect(String reason) {
        ClientControl control = current;
        if (control != null) {
            control.end(reason);
        }
    }

    void awaitReleased(long deadline) throws InterruptedException {
        ClientControl control = current;
        if (control != null) {
            control.awaitReleased(Math.max(0, deadline - System.nanoTime()));
        }
    }

    @Override
    public void close() {
        closed = true;
        disconnect("the client is closing");
        plane.forget(this);
    }
}
