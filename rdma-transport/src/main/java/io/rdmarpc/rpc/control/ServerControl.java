package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.engine.ServerSession;
import io.rdmarpc.rpc.engine.SessionTerms;
import io.rdmarpc.rpc.wire.ControlCodec;
import io.rdmarpc.rpc.wire.ControlMessage;
import io.rdmarpc.rpc.wire.ControlMessage.RefusalCode;
import io.rdmarpc.transport.RcConnection;
import io.rdmarpc.verbs.PathMtu;
import io.rdmarpc.verbs.RdmaException;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** One client, seen from the server: handshake, as a task of its own, then whatever it asks for. */
final class ServerControl extends ControlSession implements Runnable {

    private static final SecureRandom RANDOM = new SecureRandom();

    private final ReceiveBudget budget;
    private final Runnable onGone;
    private final BooleanSupplier isClosing;
    private int id = -1;
    private int window;
    private @Nullable ServerSession session;

    ServerControl(
            ControlParts parts,
            ControlConnection connection,
            ReceiveBudget budget,
            BooleanSupplier isClosing,
            Runnable onGone) {
        super(parts, connection);
        this.budget = budget;
        this.isClosing = isClosing;
        this.onGone = onGone;
    }

    @Override
    public void run() {
        try {
            connection.handshakeLimit(parts.config().connectTimeout());
            if (connection.read() instanceof ControlMessage.Hello hello) {
                greet(hello);
                return;
            }
            throw new IOException("the first message of a client must be a hello");
        } catch (IOException | RdmaException | InterruptedException e) {
            LOG.log(System.Logger.Level.INFO, "client {0} was not taken: {1}", connection.peer(), e.getMessage());
            connection.trySend(new ControlMessage.Refusal(RefusalCode.INTERNAL, String.valueOf(e.getMessage())));
            giveUp();
        }
    }

    /** The handshake failed: what was made so far goes, by way of the engine once that knows of the session. */
    private void giveUp() {
        connection.close();
        ServerSession known = session;
        if (known == null) {
            release();
        } else {
            parts.loop().remove(known, "the handshake failed");
        }
    }

    private void greet(ControlMessage.Hello hello) throws IOException, InterruptedException {
        ControlMessage.Refusal refusal = check(hello);
        if (refusal != null) {
            LOG.log(System.Logger.Level.INFO, "client {0} was refused: {1}", connection.peer(), refusal.reason());
            connection.trySend(refusal);
            giveUp();
            return;
        }
        peerGivesUpAfter(hello.heartbeatTimeoutMillis());
        PathMtu mtu = hello.mtu().min(parts.nic().pathMtu(gid));
        int most = Math.min(hello.maxMessageBytes(), parts.config().maxMessageBytes());
        long cookie = RANDOM.nextLong();
        SessionTerms terms = prepare(id, hello.session(), cookie, hello.endpoint(), mtu, window, most);
        ServerSession live = new ServerSession(parts.loop(), terms, this);
        session = live;
        CountDownLatch added = new CountDownLatch(1);
        parts.loop().add(live, added::countDown);
        if (!added.await(parts.config().connectTimeout().toNanos(), TimeUnit.NANOSECONDS)) {
            throw new IOException("the engine did not take the session in time: is its thread running?");
        }
        connection.send(new ControlMessage.Welcome(
                ControlCodec.VERSION, parts.ud().endpoint(gid), id, cookie, window, mtu, most, (int)
                        parts.config().heartbeatTimeout().toMillis()));
        startServing(live);
    }

    private ControlMessage.@Nullable Refusal check(ControlMessage.Hello hello) {
        if (isClosing.getAsBoolean()) {
            return new ControlMessage.Refusal(RefusalCode.CLOSING, "the server is closing");
        }
        if (hello.version() < ControlCodec.VERSION) {
            return new ControlMessage.Refusal(
                    RefusalCode.VERSION,
                    "the client speaks protocol version " + hello.version() + ", the server " + ControlCodec.VERSION
                            + " and newer: use the same release on both sides");
        }
        String strangers = ProviderPair.problem(
                parts.nic().providerName(),
                parts.nic().deviceName(),
                parts.ud().endpoint(gid),
                hello.provider(),
                hello.endpoint());
        if (strangers != null) {
            return new ControlMessage.Refusal(RefusalCode.PROVIDER, strangers);
        }
        window = Math.max(1, Math.min(hello.window(), parts.config().window()));
        if (!budget.reserve(window)) {
            int wanted = window;
            window = 0;
            return new ControlMessage.Refusal(
                    RefusalCode.RING_EXHAUSTED,
                    "the server's receive ring is spoken for: " + budget.reserved() + " of " + budget.limit()
                            + " entries, " + wanted + " more wanted: raise rdma.ud.receive-depth there");
        }
        id = parts.loop().reserveServerId();
        return id >= 0
                ? null
                : new ControlMessage.Refusal(RefusalCode.RING_EXHAUSTED, "the server has too many sessions");
    }

    @Override
    void onMessage(ControlMessage message) throws IOException {
        switch (message) {
            case ControlMessage.Verify verify ->
                connection.send(new ControlMessage.Verdict(
                        verify.number(), parts.methods().compare(verify.contract())));
            case ControlMessage.RcOffer offer -> rcStep(() -> answer(offer));
            case ControlMessage.RcReady() -> rcStep(this::rcReady);
            case ControlMessage.Heartbeat() -> {}
            default -> throw new IOException("a client may not send " + message);
        }
    }

    private void answer(ControlMessage.RcOffer offer) throws IOException {
        if (hasRc()) {
            throw new IOException("a client may offer one reliable connection, this one offered another");
        }
        RcConnection rc = prepareRc();
        completeRc(offer.endpoint());
        connection.send(new ControlMessage.RcAnswer(rc.endpoint()));
    }

    @Override
    public void connectionWanted() {
        parts.blocking().execute(() -> connection.trySend(new ControlMessage.RcWanted()));
    }

    @Override
    void onEnded(String reason) {
        LOG.log(System.Logger.Level.INFO, "client {0} has left: {1}", connection.peer(), reason);
    }

    @Override
    void onReleased() {
        if (id >= 0) {
            parts.loop().giveBackServerId(id);
        }
        budget.release(window);
        onGone.run();
    }
}
