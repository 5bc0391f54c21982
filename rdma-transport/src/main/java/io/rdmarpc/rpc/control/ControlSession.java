package io.rdmarpc.rpc.control;

import io.rdmarpc.events.SessionEvent;
import io.rdmarpc.memory.LendingPool;
import io.rdmarpc.memory.MemoryBudget;
import io.rdmarpc.memory.PageSource;
import io.rdmarpc.rpc.PeerIdentity;
import io.rdmarpc.rpc.SessionInfo;
import io.rdmarpc.rpc.SessionSnapshot;
import io.rdmarpc.rpc.control.limit.ReceiveBudget;
import io.rdmarpc.rpc.control.net.ControlLoop;
import io.rdmarpc.rpc.engine.session.EngineSession;
import io.rdmarpc.rpc.engine.session.SessionHost;
import io.rdmarpc.rpc.engine.session.SessionTerms;
import io.rdmarpc.rpc.message.MessageOrigin;
import io.rdmarpc.rpc.stats.RoundTripStatistics;
import io.rdmarpc.rpc.wire.ControlCodec;
import io.rdmarpc.rpc.wire.ControlMessage;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.transport.RcConnection;
import io.rdmarpc.transport.RcEndpoint;
import io.rdmarpc.transport.UdEndpoint;
import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.error.RdmaException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The control side of one session, at either end: its negotiated parameters and its objects at the NIC. Its state
 * belongs to the control thread. Blocking verbs run one after the other on the blocking executor.
 *
 * <pre>
 *   PREPARING -> LIVE -> ENDED: removed from the engine -> drained -> NIC objects closed
 *       |                  ^
 *       +------------------+   rejected, timed out, or the connection has ended
 * </pre>
 */
abstract class ControlSession implements SessionHost {

    static final System.Logger LOG = ControlLoop.LOG;

    /** The state of the session. */
    private enum Phase {
        PREPARING,
        LIVE,
        ENDED
    }

    final ControlContext context;
    final ControlParts parts;
    final ControlConnection connection;
    private final ControlEngine engine;
    private final int link;
    private final long number;
    private final CountDownLatch released = new CountDownLatch(1);
    private volatile Phase phase = Phase.PREPARING;
    private volatile @Nullable EngineSession session;
    private PeerIdentity identity = PeerIdentity.ofAddress("");
    private MessageOrigin origin = new MessageOrigin("", "");
    private int protocolVersion = ControlCodec.OLDEST_VERSION;
    int id = -1;
    int window;
    // Used by the blocking executor only.
    private @Nullable AddressHandle addressHandle;
    private @Nullable ProtectionDomain lendingDomain;
    private @Nullable LendingPool lending;
    private volatile @Nullable RcConnection rcConnection;
    private PathMtu mtu = PathMtu.MTU_256;
    /** Whether the begin of the session was recorded, so that its end has to follow. Control thread only. */
    private boolean recorded;

    ControlSession(ControlContext context, ControlEngine engine, ControlConnection connection, int link) {
        this.context = context;
        this.parts = engine.parts();
        this.engine = engine;
        this.connection = connection;
        this.link = link;
        this.number = context.nextSessionNumber();
        context.add(this);
    }

    final int link() {
        return link;
    }

    final ControlEngine engine() {
        return engine;
    }

    final ReceiveBudget budget() {
        return engine.budget();
    }

    final GidEntry gid() {
        return connection.gidOf(parts.nic());
    }

    final PathMtu ownMtu() {
        return connection.mtuOf(parts.nic());
    }

    /** Returns whether the session's packets use this NIC. */
    final boolean isOn(NicContext nic) {
        return parts.nic().equals(nic);
    }

    final boolean isPreparing() {
        return phase == Phase.PREPARING;
    }

    final boolean isLive() {
        return phase == Phase.LIVE;
    }

    /** Handles a message of the peer about this session. */
    abstract void onMessage(ControlMessage.OfSession message) throws IOException;

    /** Called once, when the session has ended; control thread. */
    abstract void onEnded(String reason);

    /** Called once, when all resources are released; blocking executor. */
    abstract void onReleased();

    /** Returns the session's number, unique in this process. */
    final long number() {
        return number;
    }

    /** Returns a snapshot of the session. Thread-safe. */
    abstract SessionSnapshot snapshot();

    final SessionSnapshot snapshot(
            SessionSnapshot.Role role, String target, int outstanding, @Nullable RoundTripStatistics roundTrips) {
        EngineSession known = session;
        RcConnection rc = rcConnection;
        return new SessionSnapshot(
                number,
                role,
                target,
                connection.peer(),
                switch (phase) {
                    case PREPARING -> SessionSnapshot.State.OPENING;
                    case LIVE -> SessionSnapshot.State.OPEN;
                    case ENDED -> SessionSnapshot.State.CLOSING;
                },
                known == null ? null : known.info(),
                rc == null ? 0 : rc.endpoint().requester().qpn(),
                outstanding,
                roundTrips);
    }

    /** Returns the budget of the memory that is lent to the peer. */
    abstract MemoryBudget lendingBudget();

    /**
     * Creates the session's objects at the NIC, then continues on the control thread, unless the session has ended
     * meanwhile.
     */
    final void prepare(
            Supplier<SessionTerms> atTheNic, Consumer<SessionTerms> then, Consumer<RdmaException> onFailure) {
        // Read here, because the connection and its TLS belong to the control thread.
        identity = connection.identity();
        origin = new MessageOrigin(connection.peerKey(), connection);
        protocolVersion = connection.protocolVersion();
        parts.blocking().execute(() -> {
            try {
                SessionTerms terms = atTheNic.get();
                context.loop.execute(() -> ifPreparing(() -> then.accept(terms)));
            } catch (RdmaException e) {
                context.loop.execute(() -> ifPreparing(() -> onFailure.accept(e)));
            }
        });
    }

    private void ifPreparing(Runnable next) {
        if (phase == Phase.PREPARING) {
            next.run();
        }
    }

    /** Runs the NIC's part of {@link #prepare}; blocking executor. */
    final SessionTerms terms(
            GidEntry from, int peerId, long cookie, UdEndpoint peer, PathMtu agreed, int granted, int maxBytes) {
        mtu = agreed;
        AddressHandle handle = parts.nic().createAddressHandle(from, peer.gid(), peer.lid());
        addressHandle = handle;
        // One domain for each session: the key of memory that is lent to one peer gives no access to another peer.
        ProtectionDomain domain = parts.nic().allocateProtectionDomain();
        lendingDomain = domain;
        LendingPool pool = new LendingPool(
                domain,
                lendingBudget().child(parts.config().maxLentPerSession(), "rdma.memory.max-lent-per-session"),
                PageSource.lendable(parts.nic().context()),
                parts.blocking());
        lending = pool;
        SessionInfo info = new SessionInfo(
                identity, parts.nic().providerName(), parts.nic().deviceName(), agreed.bytes(), granted, maxBytes);
        return new SessionTerms(id, peerId, cookie, peer, handle, pool, origin, info, protocolVersion);
    }

    /** Registers the engine's session. From now on the session ends only through the engine. */
    final void known(EngineSession fresh) {
        session = fresh;
    }

    /** Returns the client's name of the server; empty at a server. */
    String target() {
        return "";
    }

    /**
     * Records for the Flight Recorder that the session carries calls from now on. Thread-safe. The control thread
     * records it, so that the end of the session is recorded later.
     */
    final void recordOpening() {
        context.loop.execute(() -> {
            if (isLive()) {
                recorded = true;
                SessionEvent.opened(number, target(), connection.peer());
            }
        });
    }

    final void live() {
        phase = Phase.LIVE;
    }

    /** Ends the session from this side. Thread-safe; a second call does nothing. */
    final void end(String reason) {
        context.loop.execute(() -> endHere(reason));
    }

    /** Ends the session from this side; control thread only. */
    final void endHere(String reason) {
        if (phase != Phase.ENDED) {
            connection.send(new ControlMessage.Close(link, reason));
            tearDown(reason);
        }
    }

    /**
     * Ends the session without a message to the peer. Its calls fail now. Its NIC objects are closed when the NIC has
     * released them.
     */
    final void tearDown(String reason) {
        if (phase == Phase.ENDED) {
            return;
        }
        phase = Phase.ENDED;
        if (recorded) {
            SessionEvent.ended(number, target(), connection.peer(), reason);
        }
        connection.remove(this);
        EngineSession known = session;
        if (known == null) {
            parts.blocking().execute(this::release);
        } else {
            known.markClosed(reason);
            // Scheduled before the engine removes the session, so that this executor runs it before it closes the queue
            // pair.
            parts.blocking().execute(this::abortRc);
            parts.loop().sessions().remove(known, reason);
        }
        onEnded(reason);
    }

    private void abortRc() {
        RcConnection rc = rcConnection;
        try {
            if (rc != null) {
                rc.abort();
            }
        } catch (RdmaException e) {
            LOG.log(System.Logger.Level.WARNING, "a queue pair could not be moved to the error state", e);
        }
    }

    /** Thread-safe. */
    final boolean hasEnded() {
        return phase == Phase.ENDED;
    }

    /** Waits until all resources of these sessions are released, at most for the limit. */
    static void awaitReleased(Stream<? extends ControlSession> sessions, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        for (ControlSession session : sessions.toList()) {
            try {
                boolean done = session.released.await(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
                if (!done) {
                    return;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    @Override
    public final void broken(String reason) {
        context.peerLog.log(
                System.Logger.Level.WARNING,
                "broken",
                connection.peerHost(),
                "a session with " + connection.peer() + " ends: " + reason);
        end(reason);
    }

    @Override
    public final void drained() {
        parts.blocking().execute(this::release);
    }

    /**
     * Closes the session's objects at the NIC: queue pairs, then address handle, then memory, including memory that
     * users still hold.
     */
    private void release() {
        LendingPool pool = lending;
        try {
            closeAll(rcConnection, addressHandle, pool == null ? null : pool::revoke, pool, lendingDomain);
        } finally {
            budget().release(window);
            onReleased();
            context.remove(this);
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
                LOG.log(System.Logger.Level.WARNING, "a NIC object of a session could not be closed", e);
            }
        }
    }

    /** Runs a step of the reliable connection on the blocking executor; a failure ends the session. */
    final void rcStep(RcStep step) {
        parts.blocking().execute(() -> {
            try {
                if (released.getCount() > 0) {
                    step.run();
                }
            } catch (IOException | RdmaException e) {
                context.peerLog.log(
                        System.Logger.Level.WARNING,
                        "no reliable connection",
                        connection.peerHost(),
                        "no reliable connection with " + connection.peer() + ": " + e.getMessage());
                end("no reliable connection: " + e.getMessage());
            }
        });
    }

    /** A step of the reliable connection. */
    interface RcStep {
        void run() throws IOException;
    }

    /** Sends from any thread, as long as the session has not ended. */
    final void sendLater(ControlMessage message) {
        context.loop.execute(() -> {
            if (phase != Phase.ENDED) {
                connection.send(message);
            }
        });
    }

    /** First step of the reliable connection: creates this side's end. */
    final RcConnection prepareRc(GidEntry from) {
        ProtectionDomain domain = lendingDomain;
        if (domain == null) {
            throw new RdmaException("the peer requests a reliable connection for a session that is not open yet");
        }
        RcConnection rc = parts.rc().prepare(from, domain);
        rcConnection = rc;
        return rc;
    }

    /** Second step: connects this end to the peer's. */
    final void completeRc(RcEndpoint peer) {
        RcConnection rc = rcConnection;
        if (rc == null) {
            throw new RdmaException("the peer responded to a reliable connection that was never offered");
        }
        rc.complete(peer, mtu);
    }

    /** Third step: allows READs on the connection. */
    final void rcReady() {
        RcConnection rc = rcConnection;
        EngineSession live = session;
        if (rc == null || live == null || !rc.isConnected()) {
            throw new RdmaException("the peer reports a ready connection, but this side has none");
        }
        parts.loop().sessions().connected(live, rc);
    }

    final boolean hasRc() {
        return rcConnection != null;
    }

    /** Ends the session after a failure of its queue pair. Control thread only. */
    final void queuePairFailed(AsyncEventType type) {
        if (type == AsyncEventType.QP_ACCESS_ERR || type == AsyncEventType.QP_REQ_ERR) {
            broken("the peer accessed memory that is not lent to it (" + type + ")");
            onAccessError();
        } else {
            broken("its queue pair failed: " + type);
        }
    }

    /** Called when the NIC has rejected a memory access of the peer; control thread. */
    abstract void onAccessError();

    /** Returns whether a queue pair belongs to this session. Thread-safe. */
    final boolean owns(QueuePair queuePair) {
        RcConnection rc = rcConnection;
        return rc != null && rc.has(queuePair);
    }
}
