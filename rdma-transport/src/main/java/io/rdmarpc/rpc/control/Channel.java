package io.rdmarpc.rpc.control;

import io.rdmarpc.concurrent.TimeText;
import io.rdmarpc.events.ReconnectEvent;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The channel to one target. It connects under a lock; callers that find an open session need no lock. */
final class Channel implements RpcChannel {

    private final ControlPlane plane;
    private final TargetAddresses addresses;
    private final String target;
    /** Number of the engine of new sessions, except those of the fallback path. */
    private volatile int engine;
    /** The channel that has created this one for another engine, or null. */
    private final @Nullable Channel home;

    private final ReconnectConfig reconnect;
    private final Duration connectTimeout;
    private final ReentrantLock connecting = new ReentrantLock();
    private volatile @Nullable ClientControl current;
    /** Earlier sessions, which have calls or are still known to callers. */
    private final Set<ClientControl> draining = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;
    /**
     * Whether the channel should reconnect: false before the first session, and after this side has closed the session.
     */
    private volatile boolean wanted;

    private volatile boolean keepsIdle;

    /** The channels of all engines, this one included. */
    private final EngineChannels perEngine;

    private final AtomicBoolean reopening = new AtomicBoolean();
    /**
     * The reason of the last failed attempt of any caller; null after a success and before the first attempt has ended.
     */
    private volatile @Nullable String lastFailure;

    Channel(
            ControlPlane plane,
            String target,
            TargetAddresses addresses,
            int engine,
            @Nullable Channel home,
            RpcConfig config) {
        this.plane = plane;
        this.home = home;
        this.target = target;
        this.engine = engine;
        this.perEngine = new EngineChannels(plane.placement(), this, this::createFor);
        this.reconnect = config.control().reconnect();
        this.connectTimeout = config.connectTimeout();
        this.addresses = addresses;
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

    /**
     * Retries until it succeeds, with pauses that grow and vary, so that many clients do not reconnect at the same
     * time.
     */
    private ClientControl connect(long deadline, Duration timeout) {
        ReconnectBackoff pauses = new ReconnectBackoff(reconnect);
        IOException reason = null;
        while (true) {
            try {
                return tryOnce(deadline, timeout);
            } catch (IOException e) {
                long left = deadline - System.nanoTime();
                if (reason == null || left > 0) {
                    // The deadline ended this attempt early, so it does not show why the earlier ones failed.
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

    /** Tries each address once, unless another thread has connected. */
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
            install(fresh);
            others().forEach(other -> other.follow(fresh.serverAddress()));
            return fresh;
        } finally {
            connecting.unlock();
        }
    }

    /** Uses a session from now on. */
    private void install(ClientControl fresh) {
        if (keepsIdle) {
            fresh.keepIdle();
        }
        fresh.target(target);
        fresh.onEnd(reason -> sessionEnded(fresh, reason));
        fresh.onServerStopping(() -> reconnectSoon("the server is stopping"));
        fresh.onReopen(() -> reopen("the server has an engine with less load"));
        replaceBy(fresh);
        fresh.recordOpening();
        if (closed) {
            // The thread that closed the channel did not see this session.
            disconnect("the client is closing");
            throw closedChannel();
        }
    }

    /** Replaces the session. The last one may have calls to which its server still responds. */
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
                throw unreachable(timeout, "another caller is still connecting: " + lastFailureText(), null);
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /**
     * Returns the addresses to try. The channels of all engines use the same server. Those of the other engines follow this
     * one, and this one prefers the server that they are connected to.
     */
    private List<InetSocketAddress> candidates() throws IOException {
        if (home != null) {
            InetSocketAddress address = home.connectedAddress();
            if (address == null) {
                throw new IOException("the session on another engine, whose server is used, is not open");
            }
            return List.of(address);
        }
        List<InetSocketAddress> all = new ArrayList<>(addresses.next());
        others().map(Channel::connectedAddress)
                .filter(address -> address != null && all.remove(address))
                .findFirst()
                .ifPresent(all::addFirst);
        return all;
    }

    private @Nullable InetSocketAddress connectedAddress() {
        ClientControl control = openSession();
        return control == null ? null : control.serverAddress();
    }

    /** Ends a session with another server than that of the channel's own session, which has moved. */
    private void follow(InetSocketAddress server) {
        InetSocketAddress address = connectedAddress();
        if (address != null && !address.equals(server)) {
            disconnect("the target's calls have moved to the server at " + server);
        }
    }

    private ClientControl tryAll(long deadline) throws IOException {
        List<InetSocketAddress> candidates = candidates();
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

    /** Divides the time, so that an address that does not respond leaves time for the others. */
    private Duration limit(long deadline, int addressesLeft) {
        long left = Math.max(1_000_000, deadline - System.nanoTime());
        Duration share = Duration.ofNanos(left / addressesLeft);
        return share.compareTo(connectTimeout) < 0 ? share : connectTimeout;
    }

    private ClientControl open(InetSocketAddress address, Duration limit) throws IOException {
        CompletableFuture<ClientControl> opening = plane.open(address, engine, limit);
        try {
            // The control thread enforces the limit; this thread waits longer in case the control thread fails.
            return opening.get(limit.plus(connectTimeout).toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            endOnceOpened(opening, "the caller was interrupted");
            throw interrupted(e);
        } catch (TimeoutException e) {
            endOnceOpened(opening, "the session opened after the caller's time limit");
            throw new IOException("the control thread of this process does not run its event loop", e);
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

    @SuppressWarnings("ReferenceEquality") // identity is meant
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

    /**
     * Reconnects in the background. Ends without a session if the channel is closed or the time limit has passed; the
     * next call then connects.
     */
    private void reconnectUntil(String reason) {
        long deadline = System.nanoTime() + reconnect.maxElapsedTime().toNanos();
        ReconnectEvent event = ReconnectEvent.begun();
        try {
            sleep(new ReconnectBackoff(reconnect).nextMillis());
            connect(deadline, reconnect.maxElapsedTime());
            event.end(target, reason, null);
        } catch (RdmaRpcException e) {
            event.end(target, reason, e.getMessage());
            ControlLoop.LOG.log(
                    System.Logger.Level.INFO,
                    "{0} could not be reconnected. The session ended because: {1}. Last failure: {2}. The next call"
                            + " retries",
                    describe(),
                    reason,
                    e.getMessage());
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
        return failure == null ? "no attempt has ended yet" : failure;
    }

    /**
     * Creates the exception of a failed connect. Its message contains the last reason. Its cause is the cause of that
     * reason.
     */
    private RdmaNotExecutedException unreachable(Duration timeout, String why, @Nullable Throwable cause) {
        if (!plane.isRunning()) {
            return new RdmaNotExecutedException(
                    describe() + " was not called: the RDMA runtime of this process "
                            + (plane.isClosed()
                                    ? "is closed and cannot start again: make calls before the application closes it"
                                    : "is not running: start it, or the application context that has stopped it"),
                    cause);
        }
        String advice = plane.deviceProblem() == null
                ? "Check that the server runs and that rdma.client.targets." + target + ".address is right"
                : "Check this host's device: cable, switch port and driver. Calls continue when its port is active again";
        return new RdmaNotExecutedException(
                describe() + " could not be reached within " + TimeText.of(timeout) + ": " + why + ". " + advice,
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
        others().forEach(Channel::keepIdle);
    }

    @Override
    public List<RpcChannel> perEngine() {
        return home == null ? perEngine : List.of(this);
    }

    @Override
    public int maxEngines() {
        return home == null ? plane.maxEngines() : 1;
    }

    private Channel createFor(int number) {
        Channel created = plane.channel(target, addresses, number, this);
        if (keepsIdle) {
            created.keepIdle();
        }
        if (closed) {
            // The thread that closed this channel did not see the new one.
            created.close();
        }
        return created;
    }

    private Stream<Channel> others() {
        return perEngine.others();
    }

    /** Returns the number of the engine of new sessions, except those of the fallback path. */
    int engine() {
        return engine;
    }

    /** Leaves an engine that is not active any more. Does not block. A second call with the same number does nothing. */
    void leaveInactive(int active) {
        if (home == null && engine >= active) {
            engine %= active;
            reopen("its engine is not active any more");
        }
        if (home != null && (engine >= active || engine == home.engine())) {
            endUnused();
        }
    }

    /** Ends the session when its callers have noticed that they should use another channel. */
    private void endUnused() {
        ClientControl unused = openSession();
        wanted = false;
        if (unused != null) {
            unused.replaced();
        }
    }

    /**
     * Replaces the session by another one with the same server, in the background. Callers use the old session until the
     * new one is open, and also keep it if none can be opened.
     */
    private void reopen(String reason) {
        ClientControl old = openSession();
        if (old != null && !closed && reopening.compareAndSet(false, true)) {
            Thread.ofVirtual().name("rdma-reopen-" + target).start(() -> {
                try {
                    replace(old, reason);
                } finally {
                    reopening.set(false);
                }
            });
        }
    }

    private void replace(ClientControl old, String reason) {
        try {
            lock(System.nanoTime() + connectTimeout.toNanos(), connectTimeout);
            try {
                if (isCurrent(old) && !closed) {
                    install(open(old.serverAddress(), connectTimeout));
                    old.replaced();
                    if (home != null && !old.serverAddress().equals(home.connectedAddress())) {
                        disconnect("the target's calls have moved to another server");
                    }
                }
            } finally {
                connecting.unlock();
            }
        } catch (IOException | RdmaRpcException e) {
            ControlLoop.LOG.log(
                    System.Logger.Level.DEBUG,
                    "the session of {0} stays on its engine. It should be opened again because {1}. Failure: {2}",
                    describe(),
                    reason,
                    e.getMessage());
        }
    }

    @SuppressWarnings("ReferenceEquality") // identity is meant
    private boolean isCurrent(ClientControl control) {
        return openSession() == control;
    }

    @Override
    public boolean isConnected() {
        return openSession() != null;
    }

    /** Returns whether a session belongs to this channel. */
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
        return sum + others().mapToInt(Channel::underWay).sum();
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
        others().forEach(Channel::close);
    }
}
