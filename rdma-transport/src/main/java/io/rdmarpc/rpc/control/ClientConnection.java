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
 * The calling end of a control connection. Sessions that are wanted before the handshake is done wait for it. Control
 * thread only.
 *
 * <pre>
 *   connected: HELLO ->   WELCOME -> (PROOF -> PROVEN) -> LIVE: OPEN -> OPENED or REFUSED for each session
 *                         REFUSAL -> ENDED
 * </pre>
 */
final class ClientConnection extends ControlConnection {

    /** A channel that comes back soon finds it still there. */
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
     * Makes a connection that does nothing yet.
     *
     * @param onRetired told when no session is to be opened on it any more
     * @param onGone told when it has ended
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

    /** What the server can be reached by; nothing before it has said so. */
    String providers() {
        ControlMessage.Welcome known = welcome;
        return known == null ? "" : known.providers();
    }

    /** Any thread. */
    ContractVerification contracts() {
        return contracts;
    }

    int nextLink() {
        return ++lastLink;
    }

    /** The server is stopping: the next session is opened on another connection, perhaps with the process that follows it. */
    void retire() {
        onRetired.run();
    }

    /** Opens a session now, or when the handshake is done. */
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
                refused(Rejections.failure(rejection.code(), rejection.reason()));
            case ControlMessage.Welcome answer when welcome == null -> onWelcome(answer);
            case ControlMessage.Proven proven -> onProven(proven);
            default -> throw new IOException("a server may not answer a hello with " + message.inWords());
        }
    }

    private void onWelcome(ControlMessage.Welcome answer) throws IOException {
        if (answer.version() != ControlCodec.VERSION) {
            throw new IOException("the server's welcome makes no sense: " + answer.inWords());
        }
        welcome = answer;
        if (token == null && !answer.proofWanted()) {
            begin(answer);
        } else if (token != null && answer.proofWanted()) {
            send(new ControlMessage.Proof(TokenProof.ofClient(token, hello, answer)));
        } else {
            unauthenticated(
                    token == null
                            ? "it wants a shared token and this side has none: set rdma.security.token here"
                            : "it knows no shared token and this side insists on one: set rdma.security.token there");
        }
    }

    private void onProven(ControlMessage.Proven proven) throws IOException {
        ControlMessage.Welcome answer = welcome;
        if (token == null || answer == null) {
            throw new IOException("a server may not answer a hello with " + proven.inWords());
        }
        if (proven.mac().equals(TokenProof.ofServer(token, hello, answer))) {
            begin(answer);
        } else {
            unauthenticated("it does not know the shared token: rdma.security.token must be the same on both sides");
        }
    }

    private void unauthenticated(String reason) {
        refused(new RdmaRejectedException(
                SessionRejectReason.UNAUTHENTICATED, "the server at " + peer() + " is not trusted: " + reason));
    }

    private void begin(ControlMessage.Welcome answer) {
        if (state() != State.HANDSHAKE) {
            return;
        }
        live(answer.heartbeatTimeoutMillis());
        List<ClientControl> ready = List.copyOf(waiting);
        waiting.clear();
        ready.forEach(ClientControl::sendOpen);
    }

    /** The sessions that wait hear the server's words, not only that the connection has ended. */
    private void refused(Exception failure) {
        List<ClientControl> refused = List.copyOf(waiting);
        waiting.clear();
        refused.forEach(session -> session.refused(failure));
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
            default -> throw new IOException("a server may not send " + message.inWords());
        }
    }

    /** What comes for a session that has ended here crossed its CLOSE on the way. */
    private void onSession(ControlMessage.OfSession message) throws IOException {
        if (message.link() < 1 || message.link() > lastLink) {
            throw new IOException("a server may not name a session that was never wanted: " + message.inWords());
        }
        ControlSession session = session(message.link());
        if (session != null) {
            session.onMessage(message);
        } else if (ServerConnection.isOfClient(message)) {
            throw new IOException("a server may not send " + message.inWords());
        }
    }

    /** Asks the server about a contract. */
    void ask(ServiceContract contract, CompletableFuture<String> verdict) {
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

    /** Before the server has said anything it may be anybody. */
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
