package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.control.auth.Nonces;
import io.rdmarpc.rpc.control.auth.TokenProof;
import io.rdmarpc.rpc.control.limit.AccessErrors;
import io.rdmarpc.rpc.control.limit.PeerAccounts.PeerAccount;
import io.rdmarpc.rpc.control.limit.PendingHandshakes;
import io.rdmarpc.rpc.control.net.ControlTimer;
import io.rdmarpc.rpc.control.net.ControlWire;
import io.rdmarpc.rpc.error.SessionRejectReason;
import io.rdmarpc.rpc.wire.ControlCodec;
import io.rdmarpc.rpc.wire.ControlMessage;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The server's end of a control connection. Control thread only.
 *
 * <pre>
 *   HELLO -> WELCOME -> (PROOF -> PROVEN) -> LIVE: OPEN -> OPENED or REJECTED for each session
 *            or REJECTION -> ENDED
 * </pre>
 */
final class ServerConnection extends ControlConnection implements PendingHandshakes.Pending {

    static final String ACCESS_ERRORS =
            "this peer accessed memory of the server that was not lent to it, " + AccessErrors.MAX_ERRORS
                    + " times. The server rejects it for " + AccessErrors.REJECTION.toSeconds()
                    + " s. Use the same release on both sides. If that does not help, a process at the peer's address"
                    + " is hostile";

    /** How long a connection without sessions stays open. The client connects again when it needs a session. */
    private static final Duration IDLE_LIMIT = Duration.ofSeconds(60);

    /** A client sends HELLO, or starts TLS, as soon as it is connected. */
    static final Duration FIRST_BYTE_LIMIT = Duration.ofSeconds(2);

    private @Nullable PeerAccount account;
    private final BooleanSupplier isClosing;
    private final Runnable onGone;
    private ControlMessage.Welcome welcome;
    private final byte @Nullable [] token;
    private ControlMessage.@Nullable Hello hello;
    private @Nullable ControlTimer firstByte;
    private boolean rejected;

    ServerConnection(ControlContext context, BooleanSupplier isClosing, Runnable onGone) {
        super(context, IDLE_LIMIT);
        this.isClosing = isClosing;
        this.onGone = onGone;
        this.token = context.config.control().security().token();
        this.welcome = new ControlMessage.Welcome(
                ControlCodec.VERSION,
                (int) context.config.heartbeat().timeout().toMillis(),
                context.process,
                Nonces.random(),
                token != null,
                context.fallback.providers(context.firstParts().nic().providerName()));
    }

    /** Starts the handshake. If too many handshakes are pending, another connection is closed. */
    void accepted(ControlWire wire, Duration handshakeLimit) {
        start(wire, handshakeLimit);
        firstByte = context.loop.after(FIRST_BYTE_LIMIT, this::requireFirstByte);
        PendingHandshakes.Pending displaced = context.handshakes.add(this);
        if (displaced != null) {
            displaced.evict();
        }
    }

    private void requireFirstByte() {
        if (state() == State.HANDSHAKE && !hasReceivedData() && !wire().hasReceived()) {
            fail("the client sent no byte within " + FIRST_BYTE_LIMIT.toMillis() + " ms");
        }
    }

    /** Ends the connection during its handshake, so that another client can connect. */
    @Override
    public void evict() {
        reject(
                SessionRejectReason.HANDSHAKE_LIMIT,
                "its handshake was unfinished when too many others arrived. The server's"
                        + " rdma.server.max-pending-handshakes is "
                        + context.config.control().maxPendingHandshakes()
                        + ", and one address may have half of the number that others leave free");
    }

    private void handshakeDone() {
        context.handshakes.remove(this);
        ControlTimer running = firstByte;
        if (running != null) {
            running.cancel();
        }
    }

    /** Returns the account of the peer; defined after the handshake. */
    PeerAccount account() {
        PeerAccount own = account;
        if (own == null) {
            throw new IllegalStateException("the client has not finished its handshake: it has no account yet");
        }
        return own;
    }

    @Override
    int protocolVersion() {
        return welcome.version();
    }

    boolean isClosing() {
        return isClosing.getAsBoolean();
    }

    /** Does nothing: the client sends first. */
    @Override
    public void onConnected() {}

    /**
     * Counts the client once only the last message of the handshake is missing. Connections that do not reach this
     * state use no capacity.
     */
    private boolean admit() {
        PeerAccount own = context.peers.addConnection(peerKey());
        account = own;
        ControlMessage.Rejection rejection = overLimits(own);
        if (rejection != null) {
            reject(rejection.reason(), rejection.detail());
        }
        return rejection == null;
    }

    /**
     * Counts a memory access of this client that the NIC rejected. After some of them, all connections of the peer end.
     */
    void onAccessError() {
        Object peer = peerKey();
        if (!context.accessErrors.add(peer, context.loop.now())) {
            return;
        }
        context.peerLog.log(
                System.Logger.Level.WARNING,
                "access errors",
                peerHost(),
                "client " + peer() + " accessed memory that was not lent to it, " + AccessErrors.MAX_ERRORS
                        + " times. The server rejects it for " + AccessErrors.REJECTION.toSeconds() + " s");
        context.sessions().stream()
                .map(session -> session.connection)
                .distinct()
                .filter(connection -> connection instanceof ServerConnection client
                        && client.isLive()
                        && client.peerKey().equals(peer))
                .forEach(connection -> connection.end(ACCESS_ERRORS));
    }

    boolean isRejectedForAccessErrors() {
        return context.accessErrors.isRejected(peerKey(), context.loop.now());
    }

    private ControlMessage.@Nullable Rejection overLimits(PeerAccount own) {
        if (isRejectedForAccessErrors()) {
            return new ControlMessage.Rejection(SessionRejectReason.ACCESS_ERRORS, ACCESS_ERRORS);
        }
        if (context.peers.hasTooManyConnections()) {
            return new ControlMessage.Rejection(
                    SessionRejectReason.SESSION_LIMIT,
                    "the server has its maximum number of clients: its rdma.server.max-sessions is "
                            + context.config.control().maxSessions());
        }
        if (own.hasTooManyConnections()) {
            return new ControlMessage.Rejection(
                    SessionRejectReason.PEER_SESSION_LIMIT,
                    "the server has " + own.maxConnections()
                            + " connections of this peer, the maximum: set rdma.server.max-sessions-per-peer there"
                            + " to allow one peer more");
        }
        return null;
    }

    /** Rejects the connection with a reason. */
    void reject(SessionRejectReason reason, String detail) {
        context.peerLog.log(levelOf(reason), "rejected", peerHost(), "client " + peer() + " was rejected: " + detail);
        context.rejections.count(reason);
        rejected = true;
        write(new ControlMessage.Rejection(reason, detail));
        ended(detail);
    }

    /** Returns the level for a rejection. Most of them need an action; a closing server rejects clients by design. */
    static System.Logger.Level levelOf(SessionRejectReason reason) {
        return reason == SessionRejectReason.CLOSING ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING;
    }

    @Override
    void onHandshake(ControlMessage message) throws IOException {
        switch (message) {
            case ControlMessage.Hello first when hello == null -> onHello(first);
            case ControlMessage.Proof proof when hello != null -> check(proof);
            default ->
                throw new IOException(
                        hello == null
                                ? "the first message of a client must be HELLO"
                                : "the second message of this client must be its proof of the shared token");
        }
    }

    private void onHello(ControlMessage.Hello first) {
        if (first.version() < ControlCodec.OLDEST_VERSION) {
            reject(
                    SessionRejectReason.VERSION,
                    "the client uses protocol version " + first.version() + ", the server "
                            + ControlCodec.OLDEST_VERSION
                            + " and newer: use the same release on both sides");
            return;
        }
        if (isClosing()) {
            reject(SessionRejectReason.CLOSING, "the server is closing");
            return;
        }
        hello = first;
        welcome = welcome.withVersion(Math.min(first.version(), ControlCodec.VERSION));
        if (token != null) {
            send(welcome);
        } else if (admit()) {
            send(welcome);
            begin(first);
        }
    }

    /** Notifies the clients of all sessions that the server is stopping, with the last calls that it runs. */
    List<ServerControl> drain() {
        List<ServerControl> draining = new ArrayList<>();
        for (ControlSession session : sessions()) {
            if (session instanceof ServerControl control) {
                control.drain();
                draining.add(control);
            }
        }
        return draining;
    }

    /** Verifies the client's proof. The rejection does not reveal what is wrong with the proof. */
    private void check(ControlMessage.Proof proof) {
        ControlMessage.Hello first = hello;
        if (token == null || first == null || !proof.mac().equals(TokenProof.ofClient(token, first, welcome))) {
            reject(
                    SessionRejectReason.UNAUTHENTICATED,
                    "the client does not know the shared token: rdma.security.token must be the same on both sides");
            return;
        }
        if (admit()) {
            send(new ControlMessage.Proven(TokenProof.ofServer(token, first, welcome)));
            begin(first);
        }
    }

    private void begin(ControlMessage.Hello first) {
        if (state() != State.HANDSHAKE) {
            return;
        }
        handshakeDone();
        live(first.heartbeatTimeoutMillis());
    }

    @Override
    void onLive(ControlMessage message) throws IOException {
        switch (message) {
            case ControlMessage.Verify verify ->
                send(new ControlMessage.Verdict(
                        verify.number(), context.firstParts().methods().compare(verify.contract(), identity())));
            case ControlMessage.Open open -> open(open);
            case ControlMessage.OfSession ofSession -> onSession(ofSession);
            default -> throw new IOException("a client may not send " + message.describe());
        }
    }

    private void open(ControlMessage.Open open) throws IOException {
        TokenTable.Entry known = context.tokens.find(open.token());
        if (known != null) {
            repeat(open, known.session());
        } else if (session(open.link()) != null) {
            throw new IOException("a client may not reuse the number of an open session: " + open.describe());
        } else {
            ServerControl.open(context, this, open);
        }
    }

    /** Responds to a repeated OPEN, whose first response was lost or is late, with the same response. */
    private void repeat(ControlMessage.Open open, @Nullable ServerControl first) {
        if (first != null && first.connection == this && first.link() == open.link()) {
            first.resendResponse();
        } else {
            context.rejections.count(SessionRejectReason.DUPLICATE);
            send(new ControlMessage.Rejected(
                    open.link(),
                    SessionRejectReason.DUPLICATE,
                    "this session was opened before: it has ended or belongs to another connection"));
        }
    }

    /** A message for a session that has ended here may have crossed its CLOSE and is ignored. */
    private void onSession(ControlMessage.OfSession message) throws IOException {
        ControlSession session = session(message.link());
        if (session != null) {
            session.onMessage(message);
        } else if (!isOfClient(message)) {
            throw new IOException("a client may not send " + message.describe());
        }
    }

    /** Returns whether a client may send the message. */
    static boolean isOfClient(ControlMessage.OfSession message) {
        return switch (message) {
            case ControlMessage.Open _, ControlMessage.RcOffer _, ControlMessage.RcReady _ -> true;
            case ControlMessage.Close _ -> true;
            default -> false;
        };
    }

    @Override
    ControlMessage finalMessage(String reason) {
        return isLive()
                ? new ControlMessage.Goodbye(reason)
                : new ControlMessage.Rejection(SessionRejectReason.INTERNAL, reason);
    }

    /** Sends no rejection, because a TLS alert notifies the client. */
    @Override
    public void onTlsFailed(String reason) {
        if (state() == State.HANDSHAKE) {
            context.peerLog.log(
                    System.Logger.Level.WARNING,
                    "rejected",
                    peerHost(),
                    "client " + peer() + " was rejected: " + reason);
            context.rejections.countTls();
            rejected = true;
        }
        onWireEnd(reason);
    }

    @Override
    void onEnded(String reason) {
        handshakeDone();
        if (!wasLive()) {
            if (!rejected) {
                // A port scan sends no byte.
                context.peerLog.log(
                        hasReceivedData() ? System.Logger.Level.INFO : System.Logger.Level.DEBUG,
                        "not accepted",
                        peerHost(),
                        "client " + peer() + " disconnected during its handshake: " + reason);
            }
        }
        PeerAccount own = account;
        if (own != null) {
            own.removeConnection();
        }
        onGone.run();
    }
}
