package io.rdmarpc.rpc.control;

import io.rdmarpc.memory.LendingPool;
import io.rdmarpc.memory.PageSource;
import io.rdmarpc.rpc.SessionInfo;
import io.rdmarpc.rpc.engine.EngineSession;
import io.rdmarpc.rpc.engine.SessionHost;
import io.rdmarpc.rpc.engine.SessionTerms;
import io.rdmarpc.rpc.wire.ControlMessage;
import io.rdmarpc.transport.RcConnection;
import io.rdmarpc.transport.RcEndpoint;
import io.rdmarpc.transport.UdEndpoint;
import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.GidEntry;
import io.rdmarpc.verbs.PathMtu;
import io.rdmarpc.verbs.RdmaException;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The control side of one session, either end: its TCP connection, heartbeats, and what was made for it at the NIC. A
 * reader thread owns the connection; the engine's wishes are carried out on the blocking executor.
 *
 * <pre>
 *   handshake -> live -> (goodbye | silence | broken) -> removed from the engine -> drained -> NIC objects closed
 * </pre>
 */
abstract class ControlSession implements SessionHost {

    static final System.Logger LOG = System.getLogger("io.rdmarpc.rpc.control");

    private static final int HEARTBEATS_PER_SILENCE = 3;
    /** A peer may not make this side send heartbeats in a tight loop. */
    private static final int SHORTEST_PATIENCE_MILLIS = 100;

    final ControlParts parts;
    final ControlConnection connection;
    final GidEntry gid;
    private final AtomicBoolean ending = new AtomicBoolean();
    private final CountDownLatch released = new CountDownLatch(1);
    private @Nullable AddressHandle addressHandle;
    private @Nullable LendingPool lending;
    private @Nullable RcConnection rcConnection;
    private @Nullable EngineSession session;
    private volatile String endReason = "";
    private volatile Duration peerPatience = Duration.ofHours(1);
    private PathMtu mtu = PathMtu.MTU_256;

    ControlSession(ControlParts parts, ControlConnection connection) {
        this.parts = parts;
        this.connection = connection;
        this.gid = parts.nic().gidFor(connection.localAddress());
    }

    /** Makes what a session needs at the NIC. */
    final SessionTerms prepare(int id, int peerId, long cookie, UdEndpoint peer, PathMtu agreed, int window, int most) {
        mtu = agreed;
        AddressHandle handle = createAddressHandle(peer);
        addressHandle = handle;
        LendingPool pool = new LendingPool(
                parts.nic().protectionDomain(),
                parts.memory().child(parts.config().lendingMaxBytes(), "rdma.memory.lending-max"),
                PageSource.lendable(parts.nic().context()));
        lending = pool;
        SessionInfo info = new SessionInfo(
                connection.peer(), parts.nic().providerName(), parts.nic().deviceName(), agreed.bytes(), window, most);
        return new SessionTerms(id, peerId, cookie, peer, handle, pool, info);
    }

    /** A verb that blocks would hold the carrier of a virtual thread; on the executor it holds nobody up. */
    private AddressHandle createAddressHandle(UdEndpoint peer) {
        try {
            return CompletableFuture.supplyAsync(
                            () -> parts.nic().createAddressHandle(gid, peer.gid(), peer.lid()), parts.blocking())
                    .join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RdmaException failure
                    ? failure
                    : new RdmaException("the way to " + peer.gid() + " could not be resolved", e);
        }
    }

    /** A thread of the operating system: while others compute, virtual ones stand still and the peer seems dead. */
    private Thread start(String role, Runnable task) {
        return Thread.ofPlatform()
                .daemon()
                .name("rdma-" + role + "-" + connection.peer())
                .start(task);
    }

    /** Brings the control side of a session to life, on threads of its own. */
    final void startServing(EngineSession live) {
        session = live;
        start("session", () -> serve(live));
    }

    /** Reads messages until the session ends, then takes it apart. */
    private void serve(EngineSession live) {
        Thread heartbeats = start("heartbeat", this::beat);
        String reason = "the control connection was closed";
        try {
            connection.silenceLimit(parts.config().heartbeatTimeout());
            while (true) {
                ControlMessage message = connection.read();
                if (message instanceof ControlMessage.Goodbye(String words)) {
                    reason = "the peer said goodbye: " + words;
                    break;
                }
                onMessage(message);
            }
        } catch (SocketTimeoutException e) {
            reason = "no heartbeat for " + parts.config().heartbeatTimeout().toMillis() + " ms";
        } catch (EOFException e) {
            reason = "the peer closed the control connection";
        } catch (IOException | RdmaException e) {
            reason = "the control connection failed: " + e.getMessage();
        } finally {
            heartbeats.interrupt();
            takeApart(live, endReason.isEmpty() ? reason : endReason);
        }
    }

    /** Handles a message of a live session. */
    abstract void onMessage(ControlMessage message) throws IOException;

    /** Called once, when the engine holds nothing any more. */
    abstract void onReleased();

    /** Called once, when the session has ended. */
    abstract void onEnded(String reason);

    /** What the peer said about its patience; heartbeats go out often enough for both. */
    final void peerGivesUpAfter(int millis) {
        peerPatience = Duration.ofMillis(Math.max(SHORTEST_PATIENCE_MILLIS, millis));
    }

    private void beat() {
        Duration own = parts.config().heartbeatInterval();
        Duration theirs = peerPatience.dividedBy(HEARTBEATS_PER_SILENCE);
        Duration interval = own.compareTo(theirs) < 0 ? own : theirs;
        try {
            while (true) {
                Thread.sleep(interval);
                connection.send(new ControlMessage.Heartbeat());
            }
        } catch (IOException | InterruptedException e) {
            // The reader sees the end of the connection too, and says why.
        }
    }

    private void takeApart(EngineSession live, String reason) {
        connection.close();
        live.markClosed(reason);
        parts.blocking().execute(() -> {
            // First, for once the engine lets the session go the queue pair is closed.
            abortRc();
            parts.loop().remove(live, reason);
        });
        onEnded(reason);
    }

    private void abortRc() {
        RcConnection rc = rcConnection;
        try {
            if (rc != null) {
                rc.abort();
            }
        } catch (RdmaException e) {
            LOG.log(System.Logger.Level.WARNING, "a queue pair could not be put into its error state", e);
        }
    }

    /** Ends the session from this side. Any thread; a second call does nothing. */
    final void end(String reason) {
        if (ending.compareAndSet(false, true)) {
            endReason = reason;
            connection.trySend(new ControlMessage.Goodbye(reason));
            connection.close();
        }
    }

    /** Waits until everything of the session has been closed. */
    final boolean awaitReleased(long nanos) throws InterruptedException {
        return released.await(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public final void broken(String reason) {
        parts.blocking().execute(() -> {
            LOG.log(System.Logger.Level.WARNING, "session with {0} ends: {1}", connection.peer(), reason);
            end(reason);
        });
    }

    @Override
    public final void drained() {
        parts.blocking().execute(this::release);
    }

    /** Closes what was made at the NIC: queue pair, then address handle, then memory, also what users still hold. */
    final void release() {
        LendingPool pool = lending;
        try {
            closeAll(rcConnection, addressHandle, pool == null ? null : pool::revoke, pool);
        } finally {
            onReleased();
            released.countDown();
        }
    }

    private static void closeAll(@Nullable AutoCloseable... resources) {
        for (AutoCloseable resource : resources) {
            try {
                if (resource != null) {
                    resource.close();
                }
            } catch (Exception e) {
                LOG.log(System.Logger.Level.WARNING, "an object of a session could not be closed", e);
            }
        }
    }

    /** Runs a step of the reliable connection on the blocking executor; its failure ends the session. */
    final void rcStep(RcStep step) {
        parts.blocking().execute(() -> {
            try {
                if (released.getCount() > 0) {
                    step.run();
                }
            } catch (IOException | RdmaException e) {
                LOG.log(System.Logger.Level.WARNING, "no reliable connection with " + connection.peer(), e);
                end("no reliable connection: " + e.getMessage());
            }
        });
    }

    /** A step of the reliable connection. */
    interface RcStep {
        void run() throws IOException;
    }

    /** First phase of the reliable connection: this side's end. */
    final RcConnection prepareRc() {
        RcConnection rc = parts.rc().prepare(gid);
        rcConnection = rc;
        return rc;
    }

    /** Second phase: connected to the peer's end. */
    final void completeRc(RcEndpoint peer) {
        RcConnection rc = rcConnection;
        if (rc == null) {
            throw new RdmaException("the peer answered a connection that was never offered");
        }
        rc.complete(peer, mtu);
    }

    /** The connection may carry READs. */
    final void rcReady() {
        RcConnection rc = rcConnection;
        EngineSession live = session;
        if (rc == null || live == null || !rc.isConnected()) {
            throw new RdmaException("the peer says its connection is ready, but there is none");
        }
        parts.loop().connected(live, rc);
    }

    final boolean hasRc() {
        return rcConnection != null;
    }
}
