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
import org.jspecify.annotations.Nullable;

/**
 * The answering end of a session on the control channel.
 *
 * <pre>
 *   OPEN -> limits -> prepared at the NIC -> known to the engine -> OPENED, live
 *             |            |                     |
 *             +------------+---------------------+-> REFUSED, ended
 * </pre>
 */
final class ServerControl extends ControlSession {

    private static final LoopbackCheck LOOPBACK = new LoopbackCheck();

    private final ServerConnection client;
    private final ControlMessage.Open open;
    private final PeerAccount account;
    private @Nullable ControlTimer limit;
    private ControlMessage.@Nullable Opened answer;
    private volatile @Nullable ServerSession serving;

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
        ControlEngine second = fallbackEngine(context, connection, open);
        return second != null ? second : context.nextEngine();
    }

    /**
     * The second way, for who asks for it, for who is not reached by the first, and for who is reached by it while the first
     * does not work; null for others, and where there is none.
     */
    private static @Nullable ControlEngine fallbackEngine(
            ControlContext context, ServerConnection connection, ControlMessage.Open open) {
        ControlEngine second = context.fallback.forServer();
        if (second == null) {
            return null;
        }
        boolean wanted = open.fallback()
                || !isReached(context.firstParts(), connection, open)
                || (context.deviceProblem() != null && isReached(second.parts(), connection, open));
        return wanted ? second : null;
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

    /** Takes a client's wish for a session. */
    static void open(ControlContext context, ServerConnection connection, ControlMessage.Open open) {
        ControlMessage.Rejected rejection = overLimits(context, connection, open);
        if (rejection != null) {
            refuse(context, connection, rejection);
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
            return refused(open, SessionRejectReason.CLOSING, "the server is closing");
        } else if (connection.isRefusedForAccessErrors()) {
            return refused(open, SessionRejectReason.ACCESS_ERRORS, ServerConnection.ACCESS_ERRORS);
        } else if (deviceProblem != null && fallbackEngine(context, connection, open) == null) {
            return refused(open, SessionRejectReason.DEVICE, deviceProblem + " at the server");
        } else if (context.peers.hasTooManySessions()) {
            return refused(
                    open,
                    SessionRejectReason.SESSION_LIMIT,
                    "the server has " + context.peers.sessions()
                            + " sessions, as many as it takes: raise rdma.server.max-sessions there");
        } else if (connection.account().hasTooManySessions()) {
            return refused(
                    open,
                    SessionRejectReason.PEER_SESSION_LIMIT,
                    "the server has " + connection.account().mostSessions()
                            + " sessions of this peer, as many as it may have: set rdma.server.max-sessions-per-peer there"
                            + " to let one peer have more");
        } else if (connection.account().hasTooManyBytes()) {
            return refused(
                    open,
                    SessionRejectReason.PEER_BYTES_LIMIT,
                    "the server has lent "
                            + connection.account().budget().registeredBytes()
                            + " bytes to this peer, as many as it may: set rdma.server.max-lent-per-peer there to let one"
                            + " peer have more");
        }
        return null;
    }

    private static ControlMessage.Rejected refused(ControlMessage.Open open, SessionRejectReason code, String reason) {
        return new ControlMessage.Rejected(open.link(), code, reason);
    }

    private static void refuse(
            ControlContext context, ControlConnection connection, ControlMessage.Rejected rejection) {
        context.rejections.count(rejection.code());
        context.peerLog.log(
                ServerConnection.levelOf(rejection.code()),
                "session refused",
                connection.peerHost(),
                "a session of client " + connection.peer() + " was refused: " + rejection.reason());
        connection.send(rejection);
    }

    private void begin() {
        ControlMessage.Rejected rejection = check();
        if (rejection != null) {
            refuse(rejection);
            return;
        }
        limit = context.loop.after(
                parts.config().connectTimeout(),
                () -> refuseLate("the engine did not take the session in time: is its thread running?"));
        GidEntry from = gid();
        PathMtu mtu = open.mtu().min(ownMtu());
        int most = Math.min(open.maxMessageBytes(), parts.config().maxMessageBytes());
        long cookie = Nonces.cookie();
        prepare(
                () -> terms(from, open.session(), cookie, open.endpoint(), mtu, window, most),
                terms -> registerSession(terms, mtu, most),
                failure -> refuseLate(String.valueOf(failure.getMessage())));
    }

    /** Two providers or two addresses that do not reach each other, a ring that is full, an engine that is. */
    private ControlMessage.@Nullable Rejected check() {
        String strangers = ProviderPair.problem(
                parts.nic().providerName(),
                parts.nic().deviceName(),
                parts.ud().endpoint(gid()),
                open.provider(),
                open.endpoint());
        if (strangers != null) {
            return refused(open, SessionRejectReason.PROVIDER, strangers);
        }
        String hidden = LOOPBACK.problem(gid().gid(), open.endpoint().gid(), connection.peerAddress());
        if (hidden != null) {
            return refused(open, SessionRejectReason.PROVIDER, hidden);
        }
        int wanted = Math.max(1, Math.min(open.window(), parts.config().maxInFlight()));
        if (!account.reserve(budget(), wanted, connection.sessionsOn(budget()))) {
            return noEntry();
        }
        window = wanted;
        id = parts.loop().sessions().reserveServerId();
        return id >= 0
                ? null
                : refused(open, SessionRejectReason.SESSION_LIMIT, "the server's engine has too many sessions");
    }

    /** The ring is full, or this peer has its share of it. */
    private ControlMessage.Rejected noEntry() {
        return budget().isFull()
                ? refused(
                        open,
                        SessionRejectReason.RING_EXHAUSTED,
                        "the server's receive ring is spoken for: " + budget().describe()
                                + ": raise rdma.ud.receive-depth there")
                : refused(
                        open,
                        SessionRejectReason.PEER_SESSION_LIMIT,
                        "this client has its share of the server's receive ring: " + budget().describe() + ", "
                                + (account.sessionsOn(budget()) - 1) + " by sessions of this address or certificate, "
                                + (connection.sessionsOn(budget()) - 1)
                                + " by sessions of this connection. One peer may have"
                                + " half of what others leave free, and each of its connections half of the rest of that:"
                                + " raise rdma.ud.receive-depth there, or set rdma.server.max-sessions-per-peer there");
    }

    private void registerSession(SessionTerms terms, PathMtu mtu, int most) {
        ServerSession fresh = parts.loop().sessions().newServer(terms, this);
        serving = fresh;
        known(fresh);
        answer = new ControlMessage.Opened(link(), parts.ud().endpoint(gid()), id, terms.cookie(), window, mtu, most);
        parts.loop().sessions().add(fresh, () -> context.loop.execute(this::added));
    }

    /** Announces that the server is stopping. A session that is not open yet will not be. */
    void drain() {
        ServerSession draining = serving;
        if (isLive() && draining != null) {
            parts.loop().sessions().drain(draining, lasts -> sendLater(new ControlMessage.Draining(link(), lasts)));
        }
    }

    /** Tells whether a stream is open. Any thread. */
    boolean hasStreams() {
        ServerSession known = serving;
        return known != null && known.hasStreams();
    }

    private void added() {
        if (isPreparing() && client.isClosing()) {
            refuse(refused(open, SessionRejectReason.CLOSING, "the server is closing"));
        } else if (isPreparing()) {
            stopLimit();
            live();
            if (context.fallback.isTakenBy(this)) {
                context.fallback.countServed();
            }
            resendResponse();
        }
    }

    /** Says what was said before; as long as nothing was, the answer is on its way. */
    void resendResponse() {
        ControlMessage.Opened said = answer;
        if (isLive() && said != null) {
            connection.send(said);
        }
    }

    private void refuseLate(String reason) {
        if (isPreparing()) {
            refuse(refused(open, SessionRejectReason.INTERNAL, reason));
        }
    }

    private void refuse(ControlMessage.Rejected rejection) {
        refuse(context, connection, rejection);
        tearDown(rejection.reason());
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
            case ControlMessage.RcOffer offer -> answerOffer(offer.endpoint());
            case ControlMessage.RcReady ready -> rcStep(this::rcReady);
            case ControlMessage.Close close -> tearDown("the peer said goodbye: " + close.reason());
            default -> throw new IOException("a client may not send " + message.inWords());
        }
    }

    private void answerOffer(RcEndpoint peer) throws IOException {
        if (!isLive()) {
            throw new IOException("a client may not offer a connection to a session that is not open yet");
        }
        GidEntry from = gid();
        rcStep(() -> answerOffer(from, peer));
    }

    private void answerOffer(GidEntry from, RcEndpoint peer) throws IOException {
        if (hasRc()) {
            throw new IOException("a client may offer one reliable connection, this one offered another");
        }
        UdEndpoint ofSession = open.endpoint();
        if (!peer.gid().equals(ofSession.gid()) || peer.lid() != ofSession.lid()) {
            // The server would send READs to a third party that has asked for none.
            throw new IOException("a client's reliable connection has the address of its session, not GID " + peer.gid()
                    + " with LID " + peer.lid());
        }
        RcConnection rc = prepareRc(from);
        completeRc(peer);
        sendLater(new ControlMessage.RcAnswer(link(), rc.endpoint()));
    }

    /** Only calling ends are told. */
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
        LOG.log(System.Logger.Level.DEBUG, "client {0} has left: {1}", connection.peer(), reason);
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
