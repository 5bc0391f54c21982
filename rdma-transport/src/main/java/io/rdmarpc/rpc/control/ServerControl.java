package io.rdmarpc.rpc.control;

import io.rdmarpc.memory.MemoryBudget;
import io.rdmarpc.rpc.SessionSnapshot;
import io.rdmarpc.rpc.control.address.LoopbackCheck;
import io.rdmarpc.rpc.control.address.ProviderPair;
import io.rdmarpc.rpc.control.auth.Nonces;
import io.rdmarpc.rpc.control.limit.PeerAccounts.PeerAccount;
import io.rdmarpc.rpc.control.net.ControlTimer;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.engine.session.SessionTerms;
import io.rdmarpc.rpc.error.SessionRejectReason;
import io.rdmarpc.rpc.wire.ControlMessage;
import io.rdmarpc.transport.RcConnection;
import io.rdmarpc.transport.RcEndpoint;
import io.rdmarpc.transport.UdEndpoint;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.PathMtu;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The server's end of a session on the control connection.
 *
 * <pre>
 *   OPEN -> limits -> prepared at the NIC -> registered with the engine -> OPENED, live
 *             |            |                     |
 *             +------------+---------------------+-> REJECTED, ended
 * </pre>
 */
final class ServerControl extends ControlSession {

    private static final LoopbackCheck LOOPBACK = new LoopbackCheck();

    private final ServerConnection client;
    private final ControlMessage.Open open;
    private final PeerAccount account;
    private @Nullable ControlTimer limit;
    private ControlMessage.@Nullable Opened response;
    private volatile @Nullable ServerSession serving;
    /** Number of requests when the load was last measured. */
    private long requestsSeen;

    private boolean askedBefore;
    private long askedNanos;

    private ServerControl(ControlContext context, ServerConnection connection, ControlMessage.Open open) {
        super(context, engineFor(context, connection, open), connection, open.link());
        this.client = connection;
        this.open = open;
        this.account = connection.account();
        account.addSession(budget());
        connection.add(this);
    }

    private static ControlEngine engineFor(
            ControlContext context, ServerConnection connection, ControlMessage.Open open) {
        ControlEngine fallback = fallbackEngine(context, connection, open);
        return fallback != null ? fallback : context.placement.next();
    }

    /**
     * Returns the engine of the fallback path if the client requests it, or if the first path does not reach the
     * client. Also returns it if the first path has failed and the fallback path reaches the client. Returns null
     * otherwise, and without a fallback path.
     */
    private static @Nullable ControlEngine fallbackEngine(
            ControlContext context, ServerConnection connection, ControlMessage.Open open) {
        ControlEngine fallback = context.fallback.forServer();
        if (fallback == null) {
            return null;
        }
        boolean wanted = open.fallback()
                || !isReached(context.firstParts(), connection, open)
                || (context.deviceProblem() != null && isReached(fallback.parts(), connection, open));
        return wanted ? fallback : null;
    }

    private static boolean isReached(ControlParts parts, ServerConnection connection, ControlMessage.Open open) {
        return ProviderPair.problem(
                        parts.nic().providerName(),
                        parts.nic().deviceName(),
                        parts.ud().endpoint(connection.gidOf(parts.nic())),
                        open.provider(),
                        open.endpoint())
                == null;
    }

    /** Handles a client's request for a session. */
    static void open(ControlContext context, ServerConnection connection, ControlMessage.Open open) {
        ControlMessage.Rejected rejection = overLimits(context, connection, open);
        if (rejection != null) {
            reject(context, connection, rejection);
            return;
        }
        ServerControl control = new ServerControl(context, connection, open);
        context.tokens.add(open.token(), control);
        control.begin();
    }

    private static ControlMessage.@Nullable Rejected overLimits(
            ControlContext context, ServerConnection connection, ControlMessage.Open open) {
        String deviceProblem = context.deviceProblem();
        if (connection.isClosing()) {
            return rejected(open, SessionRejectReason.CLOSING, "the server is closing");
        } else if (connection.isRejectedForAccessErrors()) {
            return rejected(open, SessionRejectReason.ACCESS_ERRORS, ServerConnection.ACCESS_ERRORS);
        } else if (deviceProblem != null && fallbackEngine(context, connection, open) == null) {
            return rejected(open, SessionRejectReason.DEVICE, deviceProblem + " at the server");
        } else if (context.peers.hasTooManySessions()) {
            return rejected(
                    open,
                    SessionRejectReason.SESSION_LIMIT,
                    "the server has " + context.peers.sessions()
                            + " sessions, the maximum: raise rdma.server.max-sessions there");
        } else if (connection.account().hasTooManySessions()) {
            return rejected(
                    open,
                    SessionRejectReason.PEER_SESSION_LIMIT,
                    "the server has " + connection.account().maxSessions()
                            + " sessions of this peer, the maximum: set rdma.server.max-sessions-per-peer there to"
                            + " allow one peer more");
        } else if (connection.account().hasTooManyBytes()) {
            return rejected(
                    open,
                    SessionRejectReason.PEER_BYTES_LIMIT,
                    "the server has lent "
                            + connection.account().budget().registeredBytes()
                            + " bytes to this peer, the maximum: set rdma.server.max-lent-per-peer there to allow one"
                            + " peer more");
        }
        return null;
    }

    private static ControlMessage.Rejected rejected(
            ControlMessage.Open open, SessionRejectReason reason, String detail) {
        return new ControlMessage.Rejected(open.link(), reason, detail);
    }

    private static void reject(
            ControlContext context, ControlConnection connection, ControlMessage.Rejected rejection) {
        context.rejections.count(rejection.reason());
        context.peerLog.log(
                ServerConnection.levelOf(rejection.reason()),
                "session rejected",
                connection.peerHost(),
                "a session of client " + connection.peer() + " was rejected: " + rejection.detail());
        connection.send(rejection);
    }

    private void begin() {
        ControlMessage.Rejected rejection = check();
        if (rejection != null) {
            reject(rejection);
            return;
        }
        limit = context.loop.after(
                parts.config().connectTimeout(),
                () -> rejectLate("the server's engine did not register the session within the connect timeout: check"
                        + " its polling thread"));
        GidEntry from = gid();
        PathMtu mtu = open.mtu().min(ownMtu());
        int maxBytes = Math.min(open.maxMessageBytes(), parts.config().maxMessageBytes());
        long cookie = Nonces.cookie();
        prepare(
                () -> terms(from, open.session(), cookie, open.endpoint(), mtu, window, maxBytes),
                terms -> registerSession(terms, mtu, maxBytes),
                failure -> rejectLate(String.valueOf(failure.getMessage())));
    }

    /** Rejects providers or addresses that do not reach each other, a full receive ring, and a full engine. */
    private ControlMessage.@Nullable Rejected check() {
        String mismatch = ProviderPair.problem(
                parts.nic().providerName(),
                parts.nic().deviceName(),
                parts.ud().endpoint(gid()),
                open.provider(),
                open.endpoint());
        if (mismatch != null) {
            return rejected(open, SessionRejectReason.PROVIDER, mismatch);
        }
        String unreachable = LOOPBACK.problem(gid().gid(), open.endpoint().gid(), connection.peerAddress());
        if (unreachable != null) {
            return rejected(open, SessionRejectReason.PROVIDER, unreachable);
        }
        int wanted = Math.max(1, Math.min(open.window(), parts.config().maxInFlight()));
        if (!account.reserve(budget(), wanted, connection.sessionsOn(budget()))) {
            return noEntry();
        }
        window = wanted;
        id = parts.loop().sessions().reserveServerId();
        return id >= 0
                ? null
                : rejected(
                        open,
                        SessionRejectReason.SESSION_LIMIT,
                        "the server's engine has its maximum number of sessions: use more polling threads there");
    }

    /** Rejects the session because the ring is full or this peer has used its share. */
    private ControlMessage.Rejected noEntry() {
        return budget().isFull()
                ? rejected(
                        open,
                        SessionRejectReason.RING_EXHAUSTED,
                        "the server's receive ring has no free entry: " + budget().describe()
                                + ". Raise rdma.ud.receive-depth there")
                : rejected(
                        open,
                        SessionRejectReason.PEER_SESSION_LIMIT,
                        "this client has its share of the server's receive ring: " + budget().describe() + ", "
                                + (account.sessionsOn(budget()) - 1) + " by sessions of this address or certificate, "
                                + (connection.sessionsOn(budget()) - 1)
                                + " by sessions of this connection. One peer may have half of the entries that others"
                                + " leave free, and each of its connections half of the rest of those."
                                + " Raise rdma.ud.receive-depth there, or set rdma.server.max-sessions-per-peer there");
    }

    private void registerSession(SessionTerms terms, PathMtu mtu, int maxBytes) {
        ServerSession fresh = parts.loop().sessions().newServer(terms, this);
        serving = fresh;
        known(fresh);
        response = new ControlMessage.Opened(
                link(), parts.ud().endpoint(gid()), id, terms.cookie(), window, mtu, maxBytes);
        parts.loop().sessions().add(fresh, () -> context.loop.execute(this::added));
    }

    /** Announces that the server is stopping. Sessions that are not open yet are rejected in {@link #added}. */
    void drain() {
        ServerSession draining = serving;
        if (isLive() && draining != null) {
            parts.loop().sessions().drain(draining, lasts -> sendLater(new ControlMessage.Draining(link(), lasts)));
        }
    }

    /** Returns whether the client was not asked for some time to open this session again. */
    boolean mayBeAsked(long now, Duration interval) {
        return isLive() && !client.isClosing() && (!askedBefore || now - askedNanos >= interval.toNanos());
    }

    /** Asks the client to open this session again. The new one is placed by load. */
    void askToReopen(long now) {
        askedBefore = true;
        askedNanos = now;
        connection.send(new ControlMessage.Reopen(link()));
    }

    /** Returns the number of requests since the last call of this method. */
    long requestsSinceLastLook() {
        ServerSession known = serving;
        long requests = known == null ? 0 : known.requests();
        long since = requests - requestsSeen;
        requestsSeen = requests;
        return since;
    }

    /** Returns whether a stream is open. Thread-safe. */
    boolean hasStreams() {
        ServerSession known = serving;
        return known != null && known.hasStreams();
    }

    private void added() {
        if (isPreparing() && client.isClosing()) {
            reject(rejected(open, SessionRejectReason.CLOSING, "the server is closing"));
        } else if (isPreparing()) {
            stopLimit();
            live();
            recordOpening();
            if (context.fallback.isUsedBy(this)) {
                context.fallback.countServed();
            }
            resendResponse();
        }
    }

    /** Sends the response again. Does nothing before the first response, which follows in any case. */
    void resendResponse() {
        ControlMessage.Opened last = response;
        if (isLive() && last != null) {
            connection.send(last);
        }
    }

    private void rejectLate(String reason) {
        if (isPreparing()) {
            reject(rejected(open, SessionRejectReason.INTERNAL, reason));
        }
    }

    private void reject(ControlMessage.Rejected rejection) {
        reject(context, connection, rejection);
        tearDown(rejection.detail());
    }

    private void stopLimit() {
        ControlTimer running = limit;
        if (running != null) {
            running.cancel();
        }
    }

    @Override
    void onMessage(ControlMessage.OfSession message) throws IOException {
        switch (message) {
            case ControlMessage.RcOffer offer -> respondToOffer(offer.endpoint());
            case ControlMessage.RcReady ready -> rcStep(this::rcReady);
            case ControlMessage.Close close -> tearDown("the peer closed the session: " + close.reason());
            default -> throw new IOException("a client may not send " + message.describe());
        }
    }

    private void respondToOffer(RcEndpoint peer) throws IOException {
        if (!isLive()) {
            throw new IOException("a client may not offer a connection to a session that is not open yet");
        }
        GidEntry from = gid();
        rcStep(() -> respondToOffer(from, peer));
    }

    private void respondToOffer(GidEntry from, RcEndpoint peer) throws IOException {
        if (hasRc()) {
            throw new IOException(
                    "a client may offer only one reliable connection, but this client offered a second one");
        }
        UdEndpoint ofSession = open.endpoint();
        if (!peer.gid().equals(ofSession.gid()) || peer.lid() != ofSession.lid()) {
            // Otherwise a client could make the server send READs to a third party.
            throw new IOException("a client's reliable connection must have the address of its session, not GID "
                    + peer.gid() + " with LID " + peer.lid());
        }
        RcConnection rc = prepareRc(from);
        completeRc(peer);
        sendLater(new ControlMessage.RcResponse(link(), rc.endpoint()));
    }

    /** Does nothing: only clients are notified. */
    @Override
    public void serverStops() {}

    @Override
    public void connectionWanted() {
        sendLater(new ControlMessage.RcWanted(link()));
    }

    @Override
    SessionSnapshot snapshot() {
        return snapshot(SessionSnapshot.Role.SERVER, "", 0, null);
    }

    @Override
    MemoryBudget lendingBudget() {
        return account.budget();
    }

    @Override
    void onAccessError() {
        client.onAccessError();
    }

    @Override
    void onEnded(String reason) {
        LOG.log(System.Logger.Level.DEBUG, "a session of client {0} has ended: {1}", connection.peer(), reason);
        stopLimit();
        context.tokens.onEnded(open.token());
    }

    @Override
    void onReleased() {
        if (id >= 0) {
            parts.loop().sessions().giveBackServerId(id);
        }
        context.loop.execute(() -> account.removeSession(budget()));
    }
}
