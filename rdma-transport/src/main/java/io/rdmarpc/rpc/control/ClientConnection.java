package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.control.auth.Nonces;
import io.rdmarpc.rpc.control.auth.TokenProof;
import io.rdmarpc.rpc.error.RdmaRejectedException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.SessionRejectReason;
import io.rdmarpc.rpc.wire.ControlCodec;
import io.rdmarpc.rpc.wire.ControlMessage;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The client's end of a control connection. Sessions that are requested during the handshake wait for its end. Control
 * thread only.
 *
 * <pre>
 *   connected: HELLO ->   WELCOME -> (PROOF -> PROVEN) -> LIVE: OPEN -> OPENED or REJECTED for each session
 *                         REJECTION -> ENDED
 * </pre>
 */
final class ClientConnection extends ControlConnection {

    /** How long a connection without sessions stays open, for a channel that reconnects soon. */
    private static final Duration IDLE_LIMIT = Duration.ofSeconds(10);

    private final InetSocketAddress address;
    private final Runnable onRetired;
    private final Runnable onGone;
    private final ControlMessage.Hello hello;
    private final byte @Nullable [] token;
    private ControlMessage.@Nullable Welcome welcome;
    private final List<ClientControl> waiting = new ArrayList<>();
    private final Map<Integer, CompletableFuture<String>> verdicts = new HashMap<>();
    private final ContractVerification contracts = new ContractVerification(this);
    private int lastLink;
    private int lastVerify;

    /**
     * Creates a connection, which is started later.
     *
     * @param onRetired notified when no new session may use the connection
     * @param onGone notified when the connection has ended
     */
    ClientConnection(ControlContext context, InetSocketAddress address, Runnable onRetired, Runnable onGone) {
        super(context, IDLE_LIMIT);
        this.address = address;
        this.onRetired = onRetired;
        this.onGone = onGone;
        this.token = context.config.control().security().token();
        this.hello = new ControlMessage.Hello(
                ControlCodec.VERSION,
                (int) context.config.heartbeat().timeout().toMillis(),
                context.process,
                Nonces.random());
    }

    InetSocketAddress address() {
        return address;
    }

    /** Returns the providers over which the server can be reached; empty before the server's WELCOME. */
    String providers() {
        ControlMessage.Welcome known = welcome;
        return known == null ? "" : known.providers();
    }

    /** Thread-safe. */
    ContractVerification contracts() {
        return contracts;
    }

    @Override
    int protocolVersion() {
        ControlMessage.Welcome known = welcome;
        return known == null ? ControlCodec.OLDEST_VERSION : known.version();
    }

    int nextLink() {
        return ++lastLink;
    }

    /**
     * Excludes new sessions because the server is stopping. They use another connection, perhaps to the successor of
     * the server process.
     */
    void retire() {
        onRetired.run();
    }

    /** Opens a session now, or after the handshake. */
    void open(ClientControl session) {
        add(session);
        if (isLive()) {
            session.sendOpen();
        } else {
            waiting.add(session);
        }
    }

    @Override
    public void onConnected() {
        send(hello);
    }

    @Override
    void onHandshake(ControlMessage message) throws IOException {
        switch (message) {
            case ControlMessage.Rejection rejection ->
                rejected(Rejections.failure(rejection.reason(), rejection.detail()));
            case ControlMessage.Welcome response when welcome == null -> onWelcome(response);
            case ControlMessage.Proven proven -> onProven(proven);
            default -> throw new IOException("a server may not respond to HELLO with " + message.describe());
        }
    }

    private void onWelcome(ControlMessage.Welcome response) throws IOException {
        if (response.version() < ControlCodec.OLDEST_VERSION || response.version() > ControlCodec.VERSION) {
            throw new IOException("the server's WELCOME has another protocol version than "
                    + ControlCodec.OLDEST_VERSION + " to " + ControlCodec.VERSION + ": " + response.describe());
        }
        welcome = response;
        if (token == null && !response.proofWanted()) {
            begin(response);
        } else if (token != null && response.proofWanted()) {
            send(new ControlMessage.Proof(TokenProof.ofClient(token, hello, response)));
        } else {
            unauthenticated(
                    token == null
                            ? "it requires a shared token and this side has none: set rdma.security.token here"
                            : "it has no shared token and this side requires one: set rdma.security.token there");
        }
    }

    private void onProven(ControlMessage.Proven proven) throws IOException {
        ControlMessage.Welcome response = welcome;
        if (token == null || response == null) {
            throw new IOException("a server may not respond to HELLO with " + proven.describe());
        }
        if (proven.mac().equals(TokenProof.ofServer(token, hello, response))) {
            begin(response);
        } else {
            unauthenticated("it does not know the shared token: rdma.security.token must be the same on both sides");
        }
    }

    private void unauthenticated(String reason) {
        rejected(new RdmaRejectedException(
                SessionRejectReason.UNAUTHENTICATED, "the server at " + peer() + " is not trusted: " + reason));
    }

    private void begin(ControlMessage.Welcome response) {
        if (state() != State.HANDSHAKE) {
            return;
        }
        live(response.heartbeatTimeoutMillis());
        List<ClientControl> ready = List.copyOf(waiting);
        waiting.clear();
        ready.forEach(ClientControl::sendOpen);
    }

    /** Fails the waiting sessions with the server's reason instead of the end of the connection. */
    private void rejected(Exception failure) {
        List<ClientControl> rejected = List.copyOf(waiting);
        waiting.clear();
        rejected.forEach(session -> session.rejected(failure));
        ended(String.valueOf(failure.getMessage()));
    }

    @Override
    void onLive(ControlMessage message) throws IOException {
        switch (message) {
            case ControlMessage.Verdict(int number, String difference) -> {
                CompletableFuture<String> verdict = verdicts.remove(number);
                if (verdict != null) {
                    verdict.complete(difference);
                }
            }
            case ControlMessage.OfSession ofSession -> onSession(ofSession);
            default -> throw new IOException("a server may not send " + message.describe());
        }
    }

    /** A message for a session that has ended here may have crossed its CLOSE and is ignored. */
    private void onSession(ControlMessage.OfSession message) throws IOException {
        if (message.link() < 1 || message.link() > lastLink) {
            throw new IOException(
                    "a server may not send a message of a session that was never requested: " + message.describe());
        }
        ControlSession session = session(message.link());
        if (session != null) {
            session.onMessage(message);
        } else if (ServerConnection.isOfClient(message)) {
            throw new IOException("a server may not send " + message.describe());
        }
    }

    /** Requests the server to verify a contract. */
    void verify(ServiceContract contract, CompletableFuture<String> verdict) {
        if (!isLive()) {
            verdict.completeExceptionally(
                    new RdmaUnavailableException("the session ended: the control connection is closed"));
            return;
        }
        int number = ++lastVerify;
        verdicts.put(number, verdict);
        try {
            send(new ControlMessage.Verify(number, contract));
        } catch (IllegalArgumentException e) {
            verdicts.remove(number);
            verdict.completeExceptionally(e);
        }
    }

    /** Returns a GOODBYE in every state, because only servers send rejections. */
    @Override
    ControlMessage finalMessage(String reason) {
        return new ControlMessage.Goodbye(reason);
    }

    @Override
    void onEnded(String reason) {
        onGone.run();
        RdmaUnavailableException failure = new RdmaUnavailableException("the session ended: " + reason);
        verdicts.values().forEach(verdict -> verdict.completeExceptionally(failure));
        verdicts.clear();
    }
}
