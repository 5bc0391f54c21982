package io.rdmarpc.async;

import io.rdmarpc.async.error.RdmaExchangeException;
import io.rdmarpc.async.error.RdmaExchangeException.Reason;
import io.rdmarpc.async.exchange.ExchangeSocket;
import io.rdmarpc.async.exchange.PeerLivenessMonitor;
import io.rdmarpc.verbs.connect.QueuePairEndpoint;
import io.rdmarpc.verbs.error.RdmaException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Listens for peers that call {@link RdmaNode#connect}. Each exchange has its own thread and timeout, so that a peer
 * that sends nothing or invalid bytes does not delay others. Thread-safe.
 */
public final class RdmaListener implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(RdmaListener.class.getName());
    private static final int MAX_EXCHANGES = 64;
    private static final int MAX_WAITING = 128;
    private static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);

    private final RdmaNode node;
    private final ServerSocket server;
    private final Semaphore exchanges = new Semaphore(MAX_EXCHANGES);
    private final Set<ExchangeSocket> openExchanges = ConcurrentHashMap.newKeySet();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<RdmaConnection> waiting = new ArrayDeque<>();
    private boolean closed;

    private RdmaListener(RdmaNode node, ServerSocket server) {
        this.node = node;
        this.server = server;
    }

    static RdmaListener open(RdmaNode node, InetSocketAddress address) {
        try {
            ServerSocket server = new ServerSocket();
            try {
                server.bind(address);
            } catch (IOException | IllegalArgumentException e) {
                server.close();
                throw e;
            }
            RdmaListener listener = new RdmaListener(node, server);
            Thread.ofVirtual().name("rdma-listener-" + server.getLocalPort()).start(listener::listen);
            return listener;
        } catch (IOException | IllegalArgumentException e) {
            throw new RdmaExchangeException(
                    Reason.UNREACHABLE,
                    "Cannot listen on " + address + ": " + e.getMessage()
                            + ". Use an address of this host and a free port, or port 0 for any",
                    e);
        }
    }

    private void listen() {
        while (!server.isClosed()) {
            try {
                exchanges.acquire();
                Socket socket = server.accept();
                if (server.isClosed()) {
                    // The listener was closed while the kernel returned a connection.
                    socket.close();
                    return;
                }
                Thread.ofVirtual().name("rdma-exchange").start(() -> exchange(socket));
            } catch (IOException e) {
                exchanges.release();
                if (!server.isClosed()) {
                    LOG.log(System.Logger.Level.WARNING, "Accepting a TCP connection on the " + this + " failed", e);
                    pause();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** Delays the next attempt: accept fails repeatedly, for instance if the process has no file descriptors left. */
    private static void pause() {
        try {
            Thread.sleep(Duration.ofMillis(100));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void exchange(Socket socket) {
        ExchangeSocket peer =
                new ExchangeSocket(socket, node.core().config().timeouts().connect());
        boolean connected = false;
        openExchanges.add(peer);
        try {
            socket.setTcpNoDelay(true);
            socket.setKeepAlive(true);
            connected = handshake(peer);
        } catch (IOException | RdmaException | IllegalStateException e) {
            LOG.log(System.Logger.Level.DEBUG, "The " + this + " rejected " + peer.peer() + ": " + e.getMessage());
        } finally {
            openExchanges.remove(peer);
            exchanges.release();
            if (!connected) {
                peer.close();
            }
        }
    }

    private boolean handshake(ExchangeSocket peer) {
        RdmaConnection connection;
        try {
            QueuePairEndpoint theirs = peer.receiveEndpoint(ExchangeSocket.HELLO);
            PreparedConnection prepared = node.prepare(peer.ownAddress());
            connection = prepared.complete(theirs);
            try {
                peer.send(ExchangeSocket.WELCOME, prepared.endpoint().encode());
                peer.receive(ExchangeSocket.READY);
            } catch (RdmaException e) {
                connection.startClosing();
                throw e;
            }
        } catch (RdmaException | IllegalStateException e) {
            reject(peer, e);
            throw e;
        }
        connection.watch(new PeerLivenessMonitor(peer));
        offer(connection);
        return true;
    }

    private static void reject(ExchangeSocket peer, RuntimeException why) {
        try {
            peer.reject(String.valueOf(why.getMessage()));
        } catch (RdmaExchangeException e) {
            // The peer has closed the TCP connection and cannot receive the reason.
        }
    }

    private void offer(RdmaConnection connection) {
        lock.lock();
        try {
            if (!closed && waiting.size() < MAX_WAITING) {
                waiting.addLast(connection);
                changed.signal();
                return;
            }
        } finally {
            lock.unlock();
        }
        connection.startClosing();
    }

    /**
     * Waits for the next connection without a time limit.
     *
     * @return the connection, to be closed by the caller
     * @throws RdmaExchangeException if the listener is closed or the thread is interrupted
     */
    public RdmaConnection accept() {
        return accept(FOREVER);
    }

    /**
     * Waits for the next connection.
     *
     * @param limit how long to wait
     * @return the connection, to be closed by the caller
     * @throws RdmaExchangeException if no peer connects in time, the listener is closed, or the thread is interrupted
     */
    public RdmaConnection accept(Duration limit) {
        lock.lock();
        try {
            RdmaConnection connection = awaitOne(limit.compareTo(FOREVER) < 0 ? limit.toNanos() : Long.MAX_VALUE);
            if (connection != null) {
                return connection;
            }
            throw closed
                    ? new RdmaExchangeException(Reason.CLOSED, "The " + this + " is closed", null)
                    : new RdmaExchangeException(
                            Reason.TIMED_OUT, "No peer connected to the " + this + " within " + limit, null);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RdmaExchangeException(
                    Reason.CLOSED, "Interrupted while waiting for a connection on the " + this, e);
        } finally {
            lock.unlock();
        }
    }

    private @Nullable RdmaConnection awaitOne(long limitNanos) throws InterruptedException {
        long left = limitNanos;
        while (waiting.isEmpty() && !closed && left > 0) {
            left = changed.awaitNanos(left);
        }
        return waiting.pollFirst();
    }

    /**
     * Returns the address of the listener.
     *
     * @return the address with the actual port
     */
    public InetSocketAddress address() {
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    /**
     * Stops listening and ends connections that were not accepted. Accepted connections stay open. A second call has no
     * effect.
     */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            waiting.forEach(RdmaConnection::startClosing);
            waiting.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        try {
            server.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "Closing the " + this + " failed", e);
        }
        openExchanges.forEach(ExchangeSocket::close);
        node.forget(this);
    }

    @Override
    public String toString() {
        return "listener on " + server.getLocalSocketAddress();
    }
}
