package io.rdmarpc.rpc.control;

import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.SessionSnapshot;
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
 * All control connections of one runtime, as server and as client. One thread runs its event loop. The other methods are for any
 * thread.
 */
public final class ControlPlane {

    private final ControlContext context;
    private final ClientConnections connections;
    private final Set<ControlServer> servers = ConcurrentHashMap.newKeySet();
    private final Set<Channel> channels = ConcurrentHashMap.newKeySet();
    private volatile boolean running;
    private volatile boolean closed;

    /**
     * Makes a control plane; it refuses to connect or listen until {@link #start}.
     *
     * @param engines the engines that sessions are spread over, on one NIC
     */
    public ControlPlane(List<ControlParts> engines) {
        this(engines, null);
    }

    /**
     * Makes a control plane with a second way to peers; it refuses to connect or listen until {@link #start}.
     *
     * @param engines the engines that sessions are spread over, on one NIC
     * @param fallback the second way, null for none
     */
    public ControlPlane(List<ControlParts> engines, @Nullable FallbackParts fallback) {
        this.context = new ControlContext(new ControlLoop(NanoClock.SYSTEM), engines, fallback);
        this.connections = new ClientConnections(context);
    }

    /** Allows connections; from now on a thread calls {@link #doWork} again and again. */
    public void start() {
        context.loop.resume();
        context.port.start();
        running = true;
    }

    /** One duty cycle: waits for messages, tasks or timers, and handles them. One thread only. */
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
     * @param address where, port 0 for any
     * @return the listening server, to be closed by the caller
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
     * Makes a channel; it connects when it is first used.
     *
     * @param target the target's name, for messages
     * @param addresses where its control port is; several for a service that several processes offer
     * @return the channel, to be closed by the caller
     */
    public RpcChannel channel(String target, List<InetSocketAddress> addresses) {
        Channel channel = new Channel(this, target, addresses, context.config);
        channels.add(channel);
        return channel;
    }

    CompletableFuture<ClientControl> open(InetSocketAddress address, Duration timeout) {
        if (!running) {
            return CompletableFuture.failedFuture(new IOException("the RDMA runtime of this process is not running"));
        }
        String problem = context.deviceProblem();
        if (problem != null && context.fallback.forClients() == null) {
            return CompletableFuture.failedFuture(new IOException(problem));
        }
        CompletableFuture<ClientControl> opened = new CompletableFuture<>();
        context.loop.execute(() -> connections.open(address, timeout, opened));
        return opened;
    }

    /**
     * Tells how often the second way was taken.
     *
     * @return a snapshot
     */
    public FallbackStatistics fallbacks() {
        return context.fallback.statistics();
    }

    /**
     * Describes every session that still holds something.
     *
     * @return a snapshot, in the order in which they were opened
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
     * @param number its number
     * @param reconnect whether a calling end comes back by itself, where that is switched on; else with its next call
     * @param reason why, in words for callers and the peer
     * @return false when there is none of that number
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
     * Counts connections and sessions that this side has refused.
     *
     * @return by reason, all of them
     */
    public Map<SessionRejectReason, Long> rejections() {
        return context.rejections.snapshot();
    }

    /**
     * Counts clients with whom this side did not come to TLS.
     *
     * @return since the start
     */
    public long tlsFailures() {
        return context.rejections.tls();
    }

    /**
     * Counts accesses of peers to memory that was not lent to them, which the NIC refused.
     *
     * @return since the start
     */
    public long accessErrors() {
        return context.accessErrors.count();
    }

    /**
     * Says why no session can be opened at the NIC now.
     *
     * @return words, null when one can
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

    /** Takes no new clients; sessions go on. */
    public void stopAccepting() {
        servers.forEach(ControlServer::stopAccepting);
    }

    /**
     * Announces to all clients which calls will still run, and waits until those are answered. After {@link #stopAccepting}.
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
     * Sends goodbyes to all peers and waits until the engines have released the sessions. Channels can be used again.
     *
     * @param limit how long to wait for the sessions that each server has ended, and for all others
     */
    public void stop(Duration limit) {
        running = false;
        context.port.stop();
        servers.forEach(server -> server.close(limit));
        servers.clear();
        context.loop.execute(() -> connections.endAll("the client is closing"));
        ControlSession.awaitReleased(context.sessions().stream(), limit);
    }

    /** After {@link #stop}, when its event loop does not run any more: closes what is left. */
    public void halt() {
        context.loop.halt();
    }

    /** Closes it for good. */
    public void close() {
        closed = true;
        context.loop.close();
    }
}
