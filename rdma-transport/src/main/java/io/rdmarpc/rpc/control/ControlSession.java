package io.rdmarpc.rpc.control;

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
 * The control side of one session, either end: what was agreed, and what was made for it at the NIC. Its state belongs to
 * the control thread; what blocks at the NIC is done on the blocking executor, one after the other.
 *
 * <pre>
 *   PREPARING -> LIVE -> ENDED: removed from the engine -> drained -> NIC objects closed
 *       |                  ^
 *       +------------------+   refused, too late, or the connection has ended
 * </pre>
 */
abstract class ControlSession implements SessionHost {

    static final System.Logger LOG = ControlLoop.LOG;

    /** How far it has come. */
    private enum Phase {
        PREPARING,
        LIVE,
        ENDED
    }

    final ControlContext context;
    final ControlParts parts;
    final ControlConnection connection;
    private final ReceiveBudget budget;
    private final int link;
    private final long number;
    private final CountDownLatch released = new CountDownLatch(1);
    private volatile Phase phase = Phase.PREPARING;
    private volatile @Nullable EngineSession session;
    private PeerIdentity identity = PeerIdentity.ofAddress("");
    private MessageOrigin origin = new MessageOrigin("", "");
    int id = -1;
    int window;
    // Of the blocking executor.
    private @Nullable AddressHandle addressHandle;
    private @Nullable ProtectionDomain lendingDomain;
    private @Nullable LendingPool lending;
    private volatile @Nullable RcConnection rcConnection;
    private PathMtu mtu = PathMtu.MTU_256;

    ControlSession(ControlContext context, ControlEngine engine, ControlConnection connection, int link) {
        this.context = context;
        this.parts = engine.parts();
        this.budget = engine.budget();
        this.connection = connection;
        this.link = link;
        this.number = context.nextSessionNumber();
        context.add(this);
    }

    final int link() {
        return link;
    }

    final ReceiveBudget budget() {
        return budget;
    }

    final GidEntry gid() {
        return connection.gidOf(parts.nic());
    }

    final PathMtu ownMtu() {
        return connection.mtuOf(parts.nic());
    }

    /** Tells whether its packets go by this NIC. */
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

    /** Called once, when it has ended; control thread. */
    abstract void onEnded(String reason);

    /** Called once, when nothing is held any more; blocking executor. */
    abstract void onReleased();

    /** Unique in this process. */
    final long number() {
        return number;
    }

    /** How it is now. Any thread. */
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

    /** Where what is lent to the peer counts. */
    abstract MemoryBudget lendingBudget();

    /** Makes what a session needs at the NIC; then goes on here, unless it has ended meanwhile. */
    final void prepare(
            Supplier<SessionTerms> atTheNic, Consumer<SessionTerms> then, Consumer<RdmaException> otherwise) {
        // Asked here: the connection and its TLS belong to this thread.
        identity = connection.identity();
        origin = new MessageOrigin(connection.peerKey(), connection);
        parts.blocking().execute(() -> {
            try {
                SessionTerms terms = atTheNic.get();
                context.loop.execute(() -> ifPreparing(() -> then.accept(terms)));
            } catch (RdmaException e) {
                context.loop.execute(() -> ifPreparing(() -> otherwise.accept(e)));
            }
        });
    }

    private void ifPreparing(Runnable next) {
        if (phase == Phase.PREPARING) {
            next.run();
        }
    }

    /** The NIC's part of {@link #prepare}; blocking executor. */
    final SessionTerms terms(
            GidEntry from, int peerId, long cookie, UdEndpoint peer, PathMtu agreed, int granted, int most) {
        mtu = agreed;
        AddressHandle handle = parts.nic().createAddressHandle(from, peer.gid(), peer.lid());
        addressHandle = handle;
        // One for each session: the key of what is lent to one peer opens nothing to another one.
        ProtectionDomain domain = parts.nic().allocateProtectionDomain();
        lendingDomain = domain;
        LendingPool pool = new LendingPool(
                domain,
                lendingBudget().child(parts.config().maxLentPerSession(), "rdma.memory.max-lent-per-session"),
                PageSource.lendable(parts.nic().context()),
                parts.blocking());
        lending = pool;
        SessionInfo info = new SessionInfo(
                identity, parts.nic().providerName(), parts.nic().deviceName(), agreed.bytes(), granted, most);
        return new SessionTerms(id, peerId, cookie, peer, handle, pool, origin, info);
    }

    /** The engine is told of it; it can end by way of the engine only. */
    final void known(EngineSession fresh) {
        session = fresh;
    }

    final void live() {
        phase = Phase.LIVE;
    }

    /** Ends it from this side. Any thread; a second call does nothing. */
    final void end(String reason) {
        context.loop.execute(() -> endHere(reason));
    }

    /** Control thread. */
    final void endHere(String reason) {
        if (phase != Phase.ENDED) {
            connection.send(new ControlMessage.Close(link, reason));
            tearDown(reason);
        }
    }

    /** Ends it without a word to the peer: its calls fail now, its NIC objects go when the NIC is done with them. */
    final void tearDown(String reason) {
        if (phase == Phase.ENDED) {
            return;
        }
        phase = Phase.ENDED;
        connection.remove(this);
        EngineSession known = session;
        if (known == null) {
            parts.blocking().execute(this::release);
        } else {
            known.markClosed(reason);
            // Before the engine lets go: on this executor it is done before the queue pair is closed.
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
            LOG.log(System.Logger.Level.WARNING, "a queue pair could not be put into its error state", e);
        }
    }

    /** Any thread. */
    final boolean hasEnded() {
        return phase == Phase.ENDED;
    }

    /** Waits until everything of these sessions has been closed, or the time is over. */
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

    /** Closes what was made at the NIC: queue pairs, then address handle, then memory, also what users still hold. */
    private void release() {
        LendingPool pool = lending;
        try {
            closeAll(rcConnection, addressHandle, pool == null ? null : pool::revoke, pool, lendingDomain);
        } finally {
            budget.release(window);
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

    /** Sends from another thread than the control thread, as long as the session lives. */
    final void sendLater(ControlMessage message) {
        context.loop.execute(() -> {
            if (phase != Phase.ENDED) {
                connection.send(message);
            }
        });
    }

    /** First phase of the reliable connection: this side's end. */
    final RcConnection prepareRc(GidEntry from) {
        ProtectionDomain domain = lendingDomain;
        if (domain == null) {
            throw new RdmaException("the peer asks for a connection of a session that is not open yet");
        }
        RcConnection rc = parts.rc().prepare(from, domain);
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
        parts.loop().sessions().connected(live, rc);
    }

    final boolean hasRc() {
        return rcConnection != null;
    }

    /** Control thread only. */
    final void queuePairFailed(AsyncEventType type) {
        if (type == AsyncEventType.QP_ACCESS_ERR || type == AsyncEventType.QP_REQ_ERR) {
            broken("the peer accessed memory that is not lent to it (" + type + ")");
            onAccessError();
        } else {
            broken("its queue pair failed: " + type);
        }
    }

    /** Called when the NIC has refused an access of the peer to memory; control thread. */
    abstract void onAccessError();

    /** Tells whether a queue pair is this session's. Any thread. */
    final boolean owns(QueuePair queuePair) {
        RcConnection rc = rcConnection;
        return rc != null && rc.has(queuePair);
    }
}
