package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.control.limit.PendingHandshakes;
import io.rdmarpc.rpc.control.net.ControlLoop;
import io.rdmarpc.rpc.control.net.SocketWire;
import io.rdmarpc.rpc.control.net.TlsEngines;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/** The listening control port of a server. */
final class ControlServer implements RpcServer, ControlLoop.Ready {

    private static final int BACKLOG = 1024;
    private static final int ACCEPT_BATCH = 64;
    private static final Duration LIMIT = Duration.ofSeconds(2);
    /** Pause after a failed accept; an immediate retry would use a core and fail again. */
    private static final Duration ACCEPT_PAUSE = Duration.ofMillis(50);

    private final ControlContext context;
    private final ServerSocketChannel listener;
    private final InetSocketAddress address;
    private final CountDownLatch portFree = new CountDownLatch(1);
    private volatile boolean closing;
    private volatile boolean announced;
    /** The sessions that were notified of the stop. */
    private final Set<ServerControl> draining = ConcurrentHashMap.newKeySet();
    // Used by the control thread only.
    private final Set<ServerConnection> clients = new HashSet<>();
    private @Nullable SelectionKey key;

    private ControlServer(ControlContext context, ServerSocketChannel listener) throws IOException {
        this.context = context;
        this.listener = listener;
        this.address = (InetSocketAddress) listener.getLocalAddress();
    }

    static ControlServer open(ControlContext context, InetSocketAddress address) {
        ServerSocketChannel listener = null;
        try {
            listener = ServerSocketChannel.open();
            listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            listener.bind(address, BACKLOG);
            ControlServer server = new ControlServer(context, listener);
            context.loop.execute(server::listen);
            return server;
        } catch (IOException e) {
            if (listener != null) {
                ControlLoop.closeQuietly(listener);
            }
            boolean inUse = e instanceof BindException && isLocal(address.getAddress());
            throw new RdmaConfigurationException(
                    inUse ? "server.port" : "server.address",
                    inUse ? address.getPort() : address.getHostString(),
                    "cannot listen on " + address.getHostString() + ":" + address.getPort() + " (" + e.getMessage()
                            + ")",
                    inUse
                            ? "Stop the process that uses the port, choose another port, or use 0 for a free port"
                            : "Use an address of this host, or leave it out to listen on all of them");
        }
    }

    /**
     * Returns whether the address is of this host. A bind fails with the same exception for a port in use and for a
     * foreign address.
     */
    private static boolean isLocal(@Nullable InetAddress address) {
        try {
            return address != null
                    && (address.isAnyLocalAddress() || NetworkInterface.getByInetAddress(address) != null);
        } catch (IOException e) {
            return true;
        }
    }

    private void listen() {
        try {
            if (!closing) {
                key = context.loop.register(listener, SelectionKey.OP_ACCEPT, this);
            }
        } catch (IOException e) {
            onFailure(e);
        }
    }

    @Override
    public void onReady() throws IOException {
        for (int i = 0; i < ACCEPT_BATCH && !closing; i++) {
            SocketChannel channel = listener.accept();
            if (channel == null) {
                return;
            }
            accept(channel);
        }
    }

    /**
     * Sets up TLS before it reads the client's address. A failure is then due to the settings and not to the client.
     */
    private void accept(SocketChannel channel) {
        SSLEngine tls;
        try {
            tls = TlsEngines.server(context.config.control().security());
        } catch (RuntimeException e) {
            ControlLoop.closeQuietly(channel);
            context.peerLog.log(
                    System.Logger.Level.ERROR,
                    "not accepted",
                    "any host",
                    "clients cannot be accepted because TLS cannot be set up: " + e + ". Check rdma.security.*");
            return;
        }
        accept(channel, tls);
    }

    private void accept(SocketChannel channel, @Nullable SSLEngine tls) {
        try {
            SocketWire wire = SocketWire.accepted(context.loop, channel);
            wire.secure(tls, context.firstParts().blocking());
            startHandshake(wire);
        } catch (IOException e) {
            ControlLoop.closeQuietly(channel);
            ControlLoop.LOG.log(System.Logger.Level.DEBUG, "a client disconnected before it was accepted", e);
        } catch (RuntimeException | Error e) {
            ControlLoop.closeQuietly(channel);
            throw e;
        }
    }

    private void startHandshake(SocketWire wire) {
        ServerConnection[] self = new ServerConnection[1];
        ServerConnection client = new ServerConnection(context, () -> closing, () -> clients.remove(self[0]));
        self[0] = client;
        clients.add(client);
        client.accepted(wire, context.config.connectTimeout());
        wire.begin(client);
    }

    @Override
    public void onFailure(Throwable why) {
        SelectionKey accepting = key;
        if (closing || accepting == null || !accepting.isValid()) {
            return;
        }
        context.peerLog.log(
                System.Logger.Level.WARNING,
                "not accepted",
                "any host",
                "a client could not be accepted: " + why.getMessage() + ". " + clients.size()
                        + " clients are connected. Check the limit of open files (ulimit -n)");
        PendingHandshakes.Pending pending = context.handshakes.oldestOfLargest();
        if (pending != null) {
            // The usual cause is that the process is out of file descriptors.
            pending.evict();
        }
        accepting.interestOps(0);
        context.loop.after(ACCEPT_PAUSE, () -> {
            if (accepting.isValid()) {
                accepting.interestOps(SelectionKey.OP_ACCEPT);
            }
        });
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    /** Stops accepting clients; connected clients stay. The port is free afterwards. */
    void stopAccepting() {
        closing = true;
        context.loop.execute(() -> {
            ControlLoop.closeQuietly(listener);
            context.loop.closeKeysCancelled();
            portFree.countDown();
        });
        await(portFree);
    }

    @Override
    public boolean drain(Duration grace) {
        stopAccepting();
        announce();
        return awaitCalls(grace);
    }

    /** Announces to each client the last calls that will run. A second call does nothing. */
    void announce() {
        if (announced) {
            return;
        }
        announced = true;
        CountDownLatch done = new CountDownLatch(1);
        context.loop.execute(() -> {
            for (ServerConnection client : clients) {
                draining.addAll(client.drain());
            }
            done.countDown();
        });
        await(done);
    }

    /** Waits for the calls that {@link #announce} has announced. */
    boolean awaitCalls(Duration grace) {
        return new ServerDrain(context, draining).awaitCalls(grace);
    }

    @Override
    public boolean awaitClients(Duration limit) {
        return new ServerDrain(context, draining).awaitClients(limit);
    }

    @Override
    public void close() {
        close(LIMIT);
    }

    /** Closes the server and waits until the engines have released its sessions, at most for the limit. */
    void close(Duration limit) {
        stopAccepting();
        List<ControlSession> sessions = List.copyOf(context.sessions());
        CountDownLatch done = new CountDownLatch(1);
        context.loop.execute(() -> {
            List.copyOf(clients).forEach(client -> client.end("the server is closing"));
            done.countDown();
        });
        await(done);
        ControlSession.awaitReleased(
                sessions.stream().filter(session -> session instanceof ServerControl && session.hasEnded()), limit);
    }

    private static void await(CountDownLatch latch) {
        try {
            boolean done = latch.await(LIMIT.toNanos(), TimeUnit.NANOSECONDS);
            if (!done) {
                ControlLoop.LOG.log(
                        System.Logger.Level.WARNING,
                        "the control thread did not run its tasks within {0}: it may be blocked",
                        LIMIT);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
