package io.rdmarpc.rpc.control;

import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.SessionSnapshot;
import io.rdmarpc.rpc.control.address.TargetAddresses;
import io.rdmarpc.rpc.control.net.ControlLoop;
import io.rdmarpc.rpc.error.SessionRejectReason;
import io.rdmarpc.rpc.stats.FallbackStatistics;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * All control connections of one runtime, as server and as client. One thread runs its event loop. The other methods
 * are thread-safe.
 */
public final class ControlPlane {

    private final ControlContext context;
    private final ClientConnections connections;
    private final Set<ControlServer> servers = ConcurrentHashMap.newKeySet();
    private final Set<Channel> channels = ConcurrentHashMap.newKeySet();
    private volatile boolean running;
    private volatile boolean closed;
    private volatile int maxEngines = 1;

    /**
     * Creates a control plane; until {@link #start} it neither connects nor listens.
     *
     * @param engines the engines over which sessions are spread, on one NIC
     */
    public ControlPlane(List<ControlParts> engines) {
        this(engines, null);
    }

    /**
     * Creates a control plane with a fallback path; until {@link #start} it neither connects nor listens.
     *
     * @param engines the engines over which sessions are spread, on one NIC
     * @param fallback the fallback path, null without one
     */
    public ControlPlane(List<ControlParts> engines, @Nullable FallbackParts fallback) {
        this.context = new ControlContext(new ControlLoop(NanoClock.SYSTEM), engines, fallback);
        this.connections = new ClientConnections(context);
    }

    /** Allows connections. From now on one thread must call {@link #doWork} repeatedly. */
    public void start() {
        context.loop.resume();
        context.port.start();
        running = true;
    }

    /** Runs one duty cycle: waits for messages, tasks or timers, and handles them. One thread only. */
    public void doWork() {
        context.loop.doWork();
    }

    /** Ends the wait of {@link #doWork}. */
    public void wake() {
        context.loop.wake();
    }

    /**
     * Listens for clients.
     *
     * @param address the address to bind, port 0 for a free port
     * @return the listening server, which the caller closes
     */
    public RpcServer listen(InetSocketAddress address) {
        if (!running) {
            throw new IllegalStateException("the runtime is not running: start it before it listens");
        }
        ControlServer server = ControlServer.open(context, address);
        servers.add(server);
        return server;
    }

    /**
     * Creates a channel, which connects on first use.
     *
     * @param target the target's name, for messages
     * @param addresses the addresses of its control port; several if several processes offer the service
     * @return the channel, which the caller closes
     */
    public RpcChannel channel(String target, List<InetSocketAddress> addresses) {
        boolean shuffle = context.config.control().reconnect().shuffle();
        return channel(target, new TargetAddresses(addresses, shuffle), context.placement.nextNumber(), null);
    }

    Channel channel(String target, TargetAddresses addresses, int engine, @Nullable Channel home) {
        Channel channel = new Channel(this, target, addresses, engine, home, context.config);
        channels.add(channel);
        return channel;
    }

    /** Returns how many engines the first NIC may have at most. */
    int maxEngines() {
        return Math.max(maxEngines, context.placement.count());
    }

    /**
     * Sets how many engines may be added. Call it before the first channel is created.
     *
     * @param engines maximum number of engines on the first NIC
     */
    public void maxEngines(int engines) {
        maxEngines = engines;
    }

    EnginePlacement placement() {
        return context.placement;
    }

    /**
     * Adds an engine on the first NIC. It gets no sessions until {@link #activate}. Control thread only.
     *
     * @param parts the engine's parts
     */
    public void addEngine(ControlParts parts) {
        context.placement.add(parts);
    }

    /**
     * Sets how many engines get new sessions. Channels move their sessions off the others. Control thread only.
     *
     * @param engines number of engines, the first ones; from 1 to the number of engines on the first NIC
     */
    public void activate(int engines) {
        // Before the new number is visible, so that the channels of all engines include the one of the application.
        leaveInactive(engines);
        context.placement.activate(engines);
        // Also those that were created meanwhile.
        leaveInactive(engines);
    }

    private void leaveInactive(int active) {
        channels.forEach(channel -> channel.leaveInactive(active));
        // A channel that has moved may hide one that was visited before.
        channels.forEach(channel -> channel.leaveInactive(active));
    }

    /**
     * Returns how many engines get new sessions.
     *
     * @return a number from 1
     */
    public int activeEngines() {
        return context.placement.active();
    }

    /**
     * Records the load of the engines. As a server, asks clients to move sessions to engines with less load. Control
     * thread only.
     *
     * @param utilization the share of time in which each engine on the first NIC had work since the last call
     */
    public void measured(double[] utilization) {
        context.placement.measured(
                utilization,
                () -> context.sessions().stream()
                        .filter(ServerControl.class::isInstance)
                        .map(ServerControl.class::cast),
                context.loop.now());
    }

    /**
     * Runs a task on the control thread after a delay. Control thread only.
     *
     * @param delay the delay
     * @param task must not block
     */
    public void after(Duration delay, Runnable task) {
        context.loop.after(delay, task);
    }

    /**
     * Runs a task on the control thread. Thread-safe.
     *
     * @param task must not block
     */
    public void execute(Runnable task) {
        context.loop.execute(task);
    }

    /** Opens a session on the engine of the given number, or on the engine of the fallback path. */
    CompletableFuture<ClientControl> open(InetSocketAddress address, int engine, Duration timeout) {
        if (!running) {
            return CompletableFuture.failedFuture(
                    new IOException("the RDMA runtime of this process is not running: start it"));
        }
        String problem = context.deviceProblem();
        if (problem != null && context.fallback.forClients() == null) {
            return CompletableFuture.failedFuture(new IOException(problem));
        }
        CompletableFuture<ClientControl> opened = new CompletableFuture<>();
        context.loop.execute(() -> connections.open(address, engine, timeout, opened));
        return opened;
    }

    /**
     * Returns how often sessions used the fallback path.
     *
     * @return a snapshot
     */
    public FallbackStatistics fallbacks() {
        return context.fallback.statistics();
    }

    /**
     * Returns the state of every session that still holds resources.
     *
     * @return snapshots, in the order in which the sessions were opened
     */
    public List<SessionSnapshot> snapshots() {
        return context.sessions().stream()
                .map(ControlSession::snapshot)
                .sorted(Comparator.comparingLong(SessionSnapshot::id))
                .toList();
    }

    /**
     * Ends a session.
     *
     * @param number the session's number
     * @param reconnect whether a client reconnects at once, if automatic reconnection is on; otherwise it reconnects
     *     with its next call
     * @param reason a description for callers and the peer
     * @return false if there is no session of that number
     */
    public boolean endSession(long number, boolean reconnect, String reason) {
        for (ControlSession session : context.sessions()) {
            if (session.number() == number && !session.hasEnded()) {
                channels.stream()
                        .filter(channel -> !reconnect && channel.has(number))
                        .forEach(channel -> channel.disconnect(reason));
                session.end(reason);
                return true;
            }
        }
        return false;
    }

    /**
     * Returns how many connections and sessions this side has rejected.
     *
     * @return the count of each reason
     */
    public Map<SessionRejectReason, Long> rejections() {
        return context.rejections.snapshot();
    }

    /**
     * Returns how many client connections failed in TLS.
     *
     * @return the number since the start
     */
    public long tlsFailures() {
        return context.rejections.tls();
    }

    /**
     * Returns how many times peers accessed memory that was not lent to them. The NIC rejected each access.
     *
     * @return the number since the start
     */
    public long accessErrors() {
        return context.accessErrors.count();
    }

    /**
     * Returns why no session can be opened at the NIC now.
     *
     * @return a description, null if sessions can be opened
     */
    public @Nullable String deviceProblem() {
        return context.deviceProblem();
    }

    boolean isRunning() {
        return running;
    }

    boolean isClosed() {
        return closed;
    }

    void forget(Channel channel) {
        channels.remove(channel);
    }

    /** Stops accepting clients; existing sessions continue. */
    public void stopAccepting() {
        servers.forEach(ControlServer::stopAccepting);
    }

    /**
     * Announces the last calls that will run to all clients, and waits for their responses. Requires
     * {@link #stopAccepting} before.
     *
     * @param grace how long to wait, over 0
     */
    public void drain(Duration grace) {
        long deadline = System.nanoTime() + grace.toNanos();
        servers.forEach(ControlServer::announce);
        for (ControlServer server : servers) {
            server.awaitCalls(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
        }
    }

    /**
     * Closes the connections to all peers and waits until the engines have released the sessions. Channels can be used
     * again after a restart.
     *
     * @param limit time limit for the sessions of each server, and for all others
     */
    public void stop(Duration limit) {
        running = false;
        context.port.stop();
        servers.forEach(server -> server.close(limit));
        servers.clear();
        context.loop.execute(() -> connections.endAll("the client is closing"));
        ControlSession.awaitReleased(context.sessions().stream(), limit);
    }

    /** Closes the remaining sockets. Call it after {@link #stop}, when no thread runs the event loop. */
    public void halt() {
        context.loop.halt();
    }

    /** Closes the control plane permanently. */
    public void close() {
        closed = true;
        context.loop.close();
    }
}
