package io.rdmarpc.rpc.control;

import io.rdmarpc.concurrent.TimeText;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.config.ReconnectConfig;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.control.address.TargetAddresses;
import io.rdmarpc.rpc.control.net.ControlLoop;
import io.rdmarpc.rpc.control.net.ReconnectBackoff;
import io.rdmarpc.rpc.error.RdmaNotExecutedException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.RpcStatus;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The way to one target. Connects under a lock; callers that find an open session take none. */
final class Channel implements RpcChannel {

    private final ControlPlane plane;
    private final TargetAddresses addresses;
    private final String target;
    private final ReconnectConfig reconnect;
    private final Duration connectTimeout;
    private final ReentrantLock connecting = new ReentrantLock();
    private volatile @Nullable ClientControl current;
    /** Earlier sessions whose servers are stopping. */
    private final Set<ClientControl> draining = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;
    /** Nobody has a use for a session that its own side has closed. */
    private volatile boolean wanted;

    private volatile boolean keepsIdle;
    /** Of the last attempt, whichever caller made it; null after a success, and before the first attempt has ended. */
    private volatile @Nullable String lastFailure;

    Channel(ControlPlane plane, String target, List<InetSocketAddress> addresses, RpcConfig config) {
        this.plane = plane;
        this.target = target;
        this.reconnect = config.control().reconnect();
        this.connectTimeout = config.connectTimeout();
        this.addresses = new TargetAddresses(addresses, reconnect.shuffle());
    }

    @Override
    public RpcSession session(Duration timeout) {
        ClientControl control = openSession();
        if (control != null) {
            return control.session();
        }
        return connect(System.nanoTime() + timeout.toNanos(), timeout).session();
    }

    private @Nullable ClientControl openSession() {
        ClientControl control = current;
        return control != null && control.session().takesCalls() ? control : null;
    }

    /** Tries until it works, with pauses that grow and vary, so that many clients do not come back in one moment. */
    private ClientControl connect(long deadline, Duration timeout) {
        ReconnectBackoff pauses = new ReconnectBackoff(reconnect);
        IOException reason = null;
        while (true) {
            try {
                return tryOnce(deadline, timeout);
            } catch (IOException e) {
                long left = deadline - System.nanoTime();
                if (reason == null || left > 0) {
                    // An attempt that was cut short says nothing about why the earlier ones failed.
                    reason = e;
                    lastFailure = String.valueOf(e.getMessage());
                }
                long pause = pauses.nextMillis();
                if (!plane.isRunning() || left < TimeUnit.MILLISECONDS.toNanos(pause)) {
                    throw unreachable(timeout, lastFailureText(), reason.getCause());
                }
                sleep(pause);
            }
        }
    }

    /** Tries each address once, or finds that somebody else has connected. */
    private ClientControl tryOnce(long deadline, Duration timeout) throws IOException {
        lock(deadline, timeout);
        try {
            ClientControl known = openSession();
            if (known != null) {
                return known;
            }
            ClientControl fresh = tryAll(deadline);
            wanted = true;
            lastFailure = null;
            replaceBy(fresh);
            if (keepsIdle) {
                fresh.keepIdle();
            }
            fresh.target(target);
            fresh.onEnd(reason -> sessionEnded(fresh, reason));
            fresh.onServerStopping(() -> reconnectSoon("the server is stopping"));
            if (closed) {
                // Whoever closed the channel has not seen this session.
                disconnect("the client is closing");
                throw closedChannel();
            }
            return fresh;
        } finally {
            connecting.unlock();
        }
    }

    /** The last one may have calls that its server still answers. */
    private void replaceBy(ClientControl fresh) {
        ClientControl last = current;
        current = fresh;
        if (last != null) {
            draining.add(last);
            if (last.hasEnded()) {
                draining.remove(last);
            }
        }
    }

    private void lock(long deadline, Duration timeout) {
        try {
            if (!connecting.tryLock(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS)) {
                throw unreachable(timeout, "another caller is still trying, " + lastFailureText(), null);
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private ClientControl tryAll(long deadline) throws IOException {
        List<InetSocketAddress> candidates = addresses.next();
        IOException last = null;
        for (int i = 0; i < candidates.size(); i++) {
            if (closed) {
                throw closedChannel();
            }
            try {
                return open(candidates.get(i), limit(deadline, candidates.size() - i));
            } catch (IOException e) {
                last = e;
                if (deadline - System.nanoTime() > 0) {
                    lastFailure = String.valueOf(e.getMessage());
                }
            }
        }
        throw last != null ? last : new IOException("the target has no address");
    }

    /** One that does not answer leaves time for the others. */
    private Duration limit(long deadline, int addressesLeft) {
        long left = Math.max(1_000_000, deadline - System.nanoTime());
        Duration share = Duration.ofNanos(left / addressesLeft);
        return share.compareTo(connectTimeout) < 0 ? share : connectTimeout;
    }

    private ClientControl open(InetSocketAddress address, Duration limit) throws IOException {
        CompletableFuture<ClientControl> opening = plane.open(address, limit);
        try {
            // The control thread keeps the limit; this one only survives it.
            return opening.get(limit.plus(connectTimeout).toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            endOnceOpened(opening, "the caller was interrupted");
            throw interrupted(e);
        } catch (TimeoutException e) {
            endOnceOpened(opening, "it came too late");
            throw new IOException("the control thread does not turn", e);
        } catch (ExecutionException e) {
            throw failure(e.getCause() == null ? e : e.getCause());
        }
    }

    private static void endOnceOpened(CompletableFuture<ClientControl> opening, String reason) {
        var _ = opening.thenAccept(unwanted -> unwanted.end(reason));
    }

    private static IOException failure(Throwable cause) {
        if (cause instanceof RdmaRpcException rejection) {
            throw rejection;
        }
        return cause instanceof IOException failure
                ? failure
                : new IOException(String.valueOf(cause.getMessage()), cause);
    }

    @SuppressWarnings("ReferenceEquality") // that very one
    private void sessionEnded(ClientControl ended, String reason) {
        draining.remove(ended);
        if (ended == current) {
            reconnectSoon(reason);
        }
    }

    private void reconnectSoon(String reason) {
        if (wanted && !closed && reconnect.enabled() && plane.isRunning()) {
            Thread.ofVirtual().name("rdma-reconnect-" + target).start(() -> reconnectUntil(reason));
        }
    }

    /** Until it works, nobody wants it any more, or the time is over; then the next call tries. */
    private void reconnectUntil(String reason) {
        long deadline = System.nanoTime() + reconnect.maxElapsedTime().toNanos();
        try {
            sleep(new ReconnectBackoff(reconnect).nextMillis());
            connect(deadline, reconnect.maxElapsedTime());
        } catch (RdmaRpcException e) {
            ControlLoop.LOG.log(
                    System.Logger.Level.INFO, "{0} is not back after: {1}: {2}", describe(), reason, e.getMessage());
        }
    }

    private void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private RdmaRpcException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new RdmaRpcException(RpcStatus.CANCELLED, "interrupted while connecting to " + addresses, e);
    }

    private String lastFailureText() {
        String failure = lastFailure;
        return failure == null ? "and no attempt has ended yet" : failure;
    }

    /** The reason is in the words; only what caused it is worth another line of a stack trace. */
    private RdmaNotExecutedException unreachable(Duration timeout, String why, @Nullable Throwable cause) {
        if (!plane.isRunning()) {
            return new RdmaNotExecutedException(
                    describe() + " was not called: the RDMA runtime of this process "
                            + (plane.isClosed()
                                    ? "is closed, and does not come back: call while the application still has it"
                                    : "is not running: start it, or the application context that has stopped it"),
                    cause);
        }
        return new RdmaNotExecutedException(
                describe() + " could not be reached within " + TimeText.of(timeout) + ": " + why
                        + ". Is the server running, and rdma.client.targets." + target + ".address right?",
                cause);
    }

    private RdmaNotExecutedException closedChannel() {
        return new RdmaNotExecutedException("the channel to " + describe() + " is closed");
    }

    private String describe() {
        return "target " + target + " at " + addresses;
    }

    @Override
    public void verify(RpcSession session, ServiceContract contract) {
        verify(session, contract, connectTimeout);
    }

    @Override
    public void verify(RpcSession session, ServiceContract contract, Duration timeout) {
        ClientControl control = current;
        if (control == null || control.session() != session) {
            throw new RdmaUnavailableException("the session with " + describe() + " has ended: call again");
        }
        control.verify(contract, timeout);
    }

    @Override
    public void keepIdle() {
        keepsIdle = true;
    }

    @Override
    public boolean isConnected() {
        return openSession() != null;
    }

    /** Tells whether a session is this channel's. */
    boolean has(long number) {
        ClientControl control = current;
        return control != null && control.number() == number;
    }

    @Override
    public int underWay() {
        ClientControl control = current;
        int sum = control == null ? 0 : control.underWay();
        for (ClientControl earlier : draining) {
            sum += earlier.underWay();
        }
        return sum;
    }

    /** Ends the session; a later call connects again. */
    void disconnect(String reason) {
        wanted = false;
        ClientControl control = current;
        if (control != null) {
            control.end(reason);
        }
        draining.forEach(earlier -> earlier.end(reason));
    }

    @Override
    public void close() {
        closed = true;
        disconnect("the client is closing");
        plane.forget(this);
    }
}
