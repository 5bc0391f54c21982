package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.verbs.RdmaConfigurationException;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The listening control port of a server. */
final class ControlServer implements RpcServer {

    private static final int BACKLOG = 128;
    private static final Duration ACCEPTOR_LIMIT = Duration.ofSeconds(1);

    private final ControlEngines engines;
    private final ServerSocket listener;
    private final Thread acceptor;
    private final Set<ServerControl> clients = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean closing = new AtomicBoolean();

    private ControlServer(ControlEngines engines, ServerSocket listener) {
        this.engines = engines;
        this.listener = listener;
        this.acceptor = Thread.ofPlatform()
                .name("rdma-accept-" + listener.getLocalPort())
                .daemon()
                .unstarted(this::accept);
    }

    static ControlServer open(ControlEngines engines, InetSocketAddress address) {
        ServerSocket listener = null;
        try {
            listener = new ServerSocket();
            listener.setReuseAddress(true);
            listener.bind(address, BACKLOG);
        } catch (IOException e) {
            closeQuietly(listener);
            boolean inUse = e instanceof BindException && isLocal(address.getAddress());
            throw new RdmaConfigurationException(
                    inUse ? "server.port" : "server.address",
                    inUse ? address.getPort() : address.getHostString(),
                    "cannot listen on " + address.getHostString() + ":" + address.getPort() + " (" + e.getMessage()
                            + ")",
                    inUse
                            ? "Stop what uses the port, choose another one, or use 0 for any free port"
                            : "Use an address of this host, or leave it out to listen on all of them");
        }
        ControlServer server = new ControlServer(engines, listener);
        server.acceptor.start();
        return server;
    }

    /** A bind fails in the same way for a port in use and for an address of another host. */
    private static boolean isLocal(@Nullable InetAddress address) {
        try {
            return address != null
                    && (address.isAnyLocalAddress() || NetworkInterface.getByInetAddress(address) != null);
        } catch (IOException e) {
            return true;
        }
    }

    private static void closeQuietly(@Nullable ServerSocket listener) {
        if (listener != null) {
            try {
                listener.close();
            } catch (IOException e) {
                ControlSession.LOG.log(System.Logger.Level.DEBUG, "a listener could not be closed", e);
            }
        }
    }

    private void accept() {
        while (!closing.get()) {
            try {
                accept(listener.accept());
            } catch (IOException e) {
                if (!closing.get()) {
                    ControlSession.LOG.log(System.Logger.Level.WARNING, "a client could not be accepted", e);
                    pause();
                }
            }
        }
    }

    /** Out of file descriptors, most likely: trying again at once would only burn a core. */
    private static void pause() {
        try {
            Thread.sleep(50);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void accept(Socket socket) throws IOException {
        try {
            take(new ControlConnection(socket));
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private void take(ControlConnection connection) {
        ServerControl[] self = new ServerControl[1];
        ControlEngines.Engine engine = engines.next();
        ServerControl client = new ServerControl(
                engine.parts(), connection, engine.budget(), closing::get, () -> clients.remove(self[0]));
        self[0] = client;
        clients.add(client);
        Thread.ofVirtual().name("rdma-client-" + connection.peer()).start(client);
    }

    @Override
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    /** Stops taking clients; those that are here stay. The port is free afterwards. */
    void stopAccepting() {
        closing.set(true);
        closeQuietly(listener);
        try {
            // A thread in accept() holds the port until it has noticed.
            acceptor.join(ACCEPTOR_LIMIT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        stopAccepting();
        for (ServerControl client : clients) {
            client.end("the server is closing");
        }
        awaitClients();
    }

    private void awaitClients() {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
        try {
            for (ServerControl client : clients) {
                client.awaitReleased(Math.max(0, deadline - System.nanoTime()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
