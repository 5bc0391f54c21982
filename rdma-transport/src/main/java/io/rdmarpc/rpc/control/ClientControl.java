package io.rdmarpc.rpc.control;

import io.rdmarpc.memory.MemoryBudget;
import io.rdmarpc.rpc.RdmaBackpressureException;
import io.rdmarpc.rpc.RdmaContractException;
import io.rdmarpc.rpc.RpcException;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.SessionSnapshot;
import io.rdmarpc.rpc.engine.ClientSession;
import io.rdmarpc.rpc.wire.ControlMessage;
import io.rdmarpc.rpc.wire.Id128;
import io.rdmarpc.transport.RcEndpoint;
import io.rdmarpc.verbs.GidEntry;
import io.rdmarpc.verbs.PathMtu;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The calling end of a session on the control channel.
 *
 * <pre>
 *   OPEN ->   OPENED -> prepared at the NIC -> live     REFUSED or too late -> ended
 * </pre>
 */
final class ClientControl extends ControlSession {

    private final Id128 token = Id128.random();
    private final CompletableFuture<ClientControl> opened;
    private final ClientConnection client;
    private @Nullable ControlTimer limit;
    private boolean answered;
    private volatile @Nullable ClientSession session;
    private volatile String target = "";
    private volatile Consumer<String> onEnd = reason -> {};

    private ClientControl(
            ControlContext context,
            ControlEngine engine,
            ClientConnection connection,
            CompletableFuture<ClientControl> opened) {
        super(context, engine, connection, connection.nextLink());
        this.client = connection;
        this.opened = opened;
    }

    /** Opens a session on a connection; control thread. The outcome goes into the future. */
    static void open(
            ControlContext context,
            ClientConnection connection,
            Duration timeout,
            CompletableFuture<ClientControl> opened) {
        ClientControl control = new ClientControl(context, context.nextEngine(), connection, opened);
        control.limit = context.loop.after(
                timeout, () -> control.giveUp("the server did not answer within " + timeout.toMillis() + " ms"));
        RpcException refusal = control.reserve();
        connection.open(control);
        if (refusal != null) {
            control.refused(refusal);
        }
    }

    /** Takes what the engine has to give; returns why that is not possible. */
    private @Nullable RpcException reserve() {
        int wanted = parts.config().window();
        if (!budget().reserve(wanted)) {
            return new RdmaBackpressureException("the receive ring is spoken for: "
                    + budget().reserved() + " of " + budget().limit() + " entries, " + wanted + " more wanted for "
                    + connection.peer() + ": raise rdma.ud.receive-depth");
        }
        window = wanted;
        id = parts.loop().sessions().reserveClientId();
        return id < 0 ? new RdmaBackpressureException("there are too many sessions") : null;
    }

    /** The connection lives. */
    void sayOpen() {
        connection.send(new ControlMessage.Open(
                link(),
                token,
                parts.nic().providerName(),
                parts.ud().endpoint(gid()),
                id,
                window,
                connection.mtu(),
                parts.config().maxMessageBytes()));
    }

    private void giveUp(String reason) {
        if (isPreparing()) {
            opened.completeExceptionally(new IOException(reason));
            endHere(reason);
        }
    }

    /** The server does not take it. */
    void refused(Exception why) {
        if (isPreparing()) {
            opened.completeExceptionally(why);
            takeApart(String.valueOf(why.getMessage()));
        }
    }

    @Override
    void onMessage(ControlMessage.OfSession message) throws IOException {
        switch (message) {
            case ControlMessage.Opened answer -> onOpened(answer);
            case ControlMessage.Refused refusal -> onRefused(refusal);
            case ControlMessage.Close close -> closed(close.reason());
            case ControlMessage.RcWanted wanted -> connectionWanted();
            case ControlMessage.RcAnswer answer -> rcStep(() -> complete(answer.endpoint()));
            default -> throw new IOException("a server may not send " + message);
        }
    }

    private void closed(String reason) {
        String words = "the peer said goodbye: " + reason;
        opened.completeExceptionally(new IOException(words));
        takeApart(words);
    }

    private void onRefused(ControlMessage.Refused refusal) {
        if (!answered) {
            refused(Refusals.failure(refusal.code(), refusal.reason()));
        }
    }

    /** A second answer to the same question changes nothing. */
    private void onOpened(ControlMessage.Opened answer) throws IOException {
        if (answered) {
            return;
        }
        answered = true;
        if (answer.window() < 1 || answer.window() > window) {
            throw new IOException("the server's welcome makes no sense: " + answer);
        }
        shrinkTo(answer.window());
        GidEntry from = gid();
        PathMtu mtu = answer.mtu().min(connection.mtu());
        int most = Math.min(answer.maxMessageBytes(), parts.config().maxMessageBytes());
        prepare(
                () -> terms(from, answer.session(), answer.cookie(), answer.endpoint(), mtu, answer.window(), most),
                terms -> {
                    ClientSession fresh = new ClientSession(parts.loop(), terms, this);
                    session = fresh;
                    known(fresh);
                    parts.loop().sessions().add(fresh);
                    live();
                    stopLimit();
                    watchIdle(fresh);
                    opened.complete(this);
                },
                failure -> giveUp("the server answers, but its NIC cannot be reached: " + failure.getMessage()));
    }

    /** A session that nobody uses gives its place at the server to another one; the next call opens a new one. */
    private void watchIdle(ClientSession watched) {
        Duration most = context.config.control().sessionIdleTimeout();
        if (most.isZero()) {
            return;
        }
        long left = most.toNanos() - watched.idleNanos();
        if (left <= 0) {
            onEnd = reason -> {};
            endHere("no call for " + most.toMillis() + " ms");
        } else {
            limit = context.loop.after(Duration.ofNanos(left), () -> {
                if (isLive()) {
                    watchIdle(watched);
                }
            });
        }
    }

    /** What the server does not grant others may have. All reserve on this thread, so there is room again. */
    private void shrinkTo(int granted) {
        budget().release(window);
        window = granted;
        budget().reserve(granted);
    }

    private void stopLimit() {
        ControlTimer running = limit;
        if (running != null) {
            running.cancel();
        }
    }

    ClientSession session() {
        ClientSession live = session;
        if (live == null) {
            throw new IllegalStateException("there is no session before the handshake");
        }
        return live;
    }

    /** Who hears when it has ended, with the reason. */
    void onEnd(Consumer<String> listener) {
        onEnd = listener;
    }

    /** Asks the server about a contract, once for the whole connection. */
    void verify(ServiceContract contract) {
        String difference = client.contracts().await(contract, parts.config().connectTimeout());
        if (!difference.isEmpty()) {
            // Asked again next time: the server may have been given the service in the meantime.
            client.contracts().forget(contract);
            throw new RdmaContractException(connection.peer() + " refuses calls: " + difference);
        }
    }

    @Override
    public void connectionWanted() {
        GidEntry from = gid();
        rcStep(() -> offerRc(from));
    }

    /** Either side may want one first; one is enough. */
    private void offerRc(GidEntry from) {
        if (!hasRc()) {
            sendLater(new ControlMessage.RcOffer(link(), prepareRc(from).endpoint()));
        }
    }

    private void complete(RcEndpoint peer) {
        completeRc(peer);
        sendLater(new ControlMessage.RcReady(link()));
        rcReady();
    }

    @Override
    SessionSnapshot snapshot() {
        ClientSession live = session;
        return snapshot(
                SessionSnapshot.Role.CLIENT,
                target,
                live == null ? 0 : live.outstanding(),
                live == null ? null : live.roundTrips());
    }

    /** Whose it is, as told by the channel that has it. */
    void target(String name) {
        target = name;
    }

    @Override
    MemoryBudget lendingBudget() {
        return parts.memory();
    }

    @Override
    void onEnded(String reason) {
        LOG.log(System.Logger.Level.DEBUG, "session with {0} has ended: {1}", connection.peer(), reason);
        stopLimit();
        opened.completeExceptionally(new IOException(reason));
        onEnd.accept(reason);
    }

    @Override
    void onReleased() {
        if (id >= 0) {
            parts.loop().sessions().giveBackClientId(id);
        }
    }
}
