package io.rdmarpc.rpc.control;

import io.rdmarpc.memory.MemoryBudget;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.SessionSnapshot;
import io.rdmarpc.rpc.control.net.ControlTimer;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.error.RdmaBackpressureException;
import io.rdmarpc.rpc.error.RdmaContractException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.SessionRejectReason;
import io.rdmarpc.rpc.wire.ControlMessage;
import io.rdmarpc.rpc.wire.Id128;
import io.rdmarpc.transport.RcEndpoint;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.PathMtu;
import java.io.IOException;
import java.net.InetSocketAddress;
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

    private static final String STOPPING = "the server is stopping";
    /** Between looks whether the calls have ended that a stopping server runs. */
    private static final Duration SHORTEST_LOOK = Duration.ofMillis(1);

    private static final Duration LONGEST_LOOK = Duration.ofMillis(50);

    private final Id128 token = Id128.random();
    private final CompletableFuture<ClientControl> opened;
    private final ClientConnection client;
    private @Nullable ControlTimer limit;
    private boolean answered;
    /** By when it must be there. */
    private final long deadline;

    private volatile @Nullable ClientSession session;
    private volatile String target = "";
    private volatile boolean keptIdle;
    private volatile Consumer<String> onEnd = reason -> {};
    private volatile Runnable onServerStopping = () -> {};
    private boolean draining;

    private ClientControl(
            ControlContext context,
            ControlEngine engine,
            ClientConnection connection,
            long deadline,
            CompletableFuture<ClientControl> opened) {
        super(context, engine, connection, connection.nextLink());
        this.client = connection;
        this.deadline = deadline;
        this.opened = opened;
    }

    /** Opens a session on a connection; control thread. The outcome goes into the future. */
    static void open(
            ControlContext context,
            ClientConnection connection,
            Duration timeout,
            CompletableFuture<ClientControl> opened) {
        ControlEngine second = context.fallback.forClients();
        long now = context.loop.now();
        ControlEngine engine =
                second != null && isFirstUseless(context, connection.address(), now) ? second : context.nextEngine();
        open(context, engine, connection, now + timeout.toNanos(), opened);
    }

    private static boolean isFirstUseless(ControlContext context, InetSocketAddress server, long now) {
        return context.deviceProblem() != null || context.fallback.isAvoided(server, now);
    }

    private static void open(
            ControlContext context,
            ControlEngine engine,
            ClientConnection connection,
            long deadline,
            CompletableFuture<ClientControl> opened) {
        ClientControl control = new ClientControl(context, engine, connection, deadline, opened);
        Duration timeout = Duration.ofNanos(deadline - context.loop.now());
        control.limit = context.loop.at(
                deadline, () -> control.abort("the server did not answer within " + timeout.toMillis() + " ms"));
        RdmaRpcException rejection = control.reserve();
        connection.open(control);
        if (rejection != null) {
            control.refused(rejection);
        }
    }

    /** Takes what the engine has to give; returns why that is not possible. */
    private @Nullable RdmaRpcException reserve() {
        int wanted = parts.config().maxInFlight();
        if (!budget().reserve(wanted)) {
            return new RdmaBackpressureException("the receive ring is spoken for: " + budget().describe()
                    + ", and there is none for " + connection.peer() + ": raise rdma.ud.receive-depth");
        }
        window = wanted;
        id = parts.loop().sessions().reserveClientId();
        return id < 0 ? new RdmaBackpressureException("there are too many sessions") : null;
    }

    /** The connection lives. */
    void sendOpen() {
        connection.send(new ControlMessage.Open(
                link(),
                token,
                parts.nic().providerName(),
                parts.ud().endpoint(gid()),
                id,
                window,
                ownMtu(),
                parts.config().maxMessageBytes(),
                context.fallback.isTakenBy(this)));
    }

    private void abort(String reason) {
        if (isPreparing()) {
            opened.completeExceptionally(new IOException(reason));
            endHere(reason);
        }
    }

    /** The server does not take it. */
    void refused(Exception why) {
        if (isPreparing()) {
            opened.completeExceptionally(why);
            tearDown(String.valueOf(why.getMessage()));
        }
    }

    @Override
    void onMessage(ControlMessage.OfSession message) throws IOException {
        switch (message) {
            case ControlMessage.Opened answer -> onOpened(answer);
            case ControlMessage.Rejected rejection -> onRefused(rejection);
            case ControlMessage.Close close -> closed(close.reason());
            case ControlMessage.Draining draining -> onDraining(draining);
            case ControlMessage.RcWanted wanted -> connectionWanted();
            case ControlMessage.RcAnswer answer -> rcStep(() -> complete(answer.endpoint()));
            default -> throw new IOException("a server may not send " + message.inWords());
        }
    }

    private void closed(String reason) {
        String words = "the peer said goodbye: " + reason;
        opened.completeExceptionally(new IOException(words));
        tearDown(words);
    }

    /** What the server does not run ends at once; the session ends with the last call that it runs. */
    private void onDraining(ControlMessage.Draining announcement) throws IOException {
        if (announcement.lasts().length != window) {
            throw new IOException("a server may not name " + announcement.lasts().length
                    + " slots of a session that has " + window + ": " + announcement);
        }
        client.retire();
        ClientSession stopping = session;
        if (stopping == null || !opened.isDone()) {
            opened.completeExceptionally(new IOException(STOPPING));
            endHere(STOPPING);
            return;
        }
        parts.loop().sessions().serverStops(stopping, announcement.lasts());
        drain(stopping);
    }

    /** An answer of the server has said it before its announcement. */
    @Override
    public void serverStops() {
        context.loop.execute(() -> {
            ClientSession stopping = session;
            if (isLive() && stopping != null) {
                client.retire();
                drain(stopping);
            }
        });
    }

    private void drain(ClientSession stopping) {
        if (!draining) {
            draining = true;
            onServerStopping.run();
            endWhenIdle(stopping, SHORTEST_LOOK);
        }
    }

    /** By that the server knows that its answers have arrived. */
    private void endWhenIdle(ClientSession stopping, Duration look) {
        if (!isLive()) {
            return;
        }
        if (stopping.outstanding() == 0 && stopping.openStreams() == 0) {
            endHere(STOPPING + ", and the calls that it ran have ended");
            return;
        }
        Duration next = look.multipliedBy(2);
        context.loop.after(look, () -> endWhenIdle(stopping, next.compareTo(LONGEST_LOOK) < 0 ? next : LONGEST_LOOK));
    }

    private void onRefused(ControlMessage.Rejected rejection) {
        if (rejection.code() == SessionRejectReason.CLOSING) {
            client.retire();
        }
        if (!answered && isPreparing() && isOfPath(rejection.code()) && canFallBack()) {
            tearDown(rejection.reason());
        } else if (!answered) {
            refused(Rejections.failure(rejection.code(), rejection.reason()));
        }
    }

    /** A second answer to the same question changes nothing. */
    private void onOpened(ControlMessage.Opened answer) throws IOException {
        if (answered) {
            return;
        }
        answered = true;
        if (answer.window() < 1 || answer.window() > window) {
            throw new IOException("the server's welcome makes no sense: " + answer.inWords());
        }
        shrinkTo(answer.window());
        GidEntry from = gid();
        PathMtu mtu = answer.mtu().min(ownMtu());
        int most = Math.min(answer.maxMessageBytes(), parts.config().maxMessageBytes());
        prepare(
                () -> terms(from, answer.session(), answer.cookie(), answer.endpoint(), mtu, answer.window(), most),
                terms -> {
                    ClientSession fresh = parts.loop().sessions().newClient(terms, this);
                    session = fresh;
                    known(fresh);
                    parts.loop().sessions().add(fresh);
                    live();
                    stopLimit();
                    if (context.fallback.forClients() == null) {
                        work(fresh);
                    } else {
                        PathProbe.start(context, fresh, deadline, problem -> probed(fresh, problem));
                    }
                },
                failure -> pathFailed("the server answers, but its NIC cannot be reached: " + failure.getMessage()));
    }

    private void work(ClientSession fresh) {
        watchIdle(fresh);
        if (context.fallback.isTakenBy(this)) {
            context.fallback.countCalled();
        }
        opened.complete(this);
    }

    private void probed(ClientSession fresh, @Nullable String problem) {
        if (!isLive()) {
            return;
        }
        if (problem == null) {
            work(fresh);
        } else if (canFallBack()) {
            endHere(problem);
        } else {
            opened.completeExceptionally(new IOException(problem));
            endHere(problem);
        }
    }

    /** What is wrong with the way to the server, and may not be with the other one. */
    private static boolean isOfPath(SessionRejectReason code) {
        return code == SessionRejectReason.PROVIDER
                || code == SessionRejectReason.DEVICE
                || code == SessionRejectReason.INTERNAL;
    }

    private void pathFailed(String reason) {
        if (canFallBack()) {
            endHere(reason);
        } else {
            abort(reason);
        }
    }

    private boolean canFallBack() {
        return !opened.isDone()
                && !context.fallback.isTakenBy(this)
                && client.isLive()
                && context.fallback.fits(client.providers())
                && deadline - context.loop.now() > 0;
    }

    /** The same server by the other way, with what is left of the time. */
    private void fallBack(ControlEngine second, String reason) {
        LOG.log(
                System.Logger.Level.WARNING,
                "server {0} is reached through {1} ({2}) instead of {3}, which is tried again at a connection in {4} s: {5}",
                connection.peer(),
                second.parts().nic().deviceName(),
                second.parts().nic().providerName(),
                parts.nic().deviceName(),
                Fallback.AVOIDED.toSeconds(),
                reason);
        context.fallback.avoid(client.address(), context.loop.now());
        open(context, second, client, deadline, opened);
    }

    /** A session that nobody uses gives its place at the server to another one; the next call opens a new one. */
    private void watchIdle(ClientSession watched) {
        Duration most = context.config.control().sessionIdleTimeout();
        if (most.isZero() || keptIdle) {
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

    /** Any thread. */
    void keepIdle() {
        keptIdle = true;
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

    /** Calls and streams that have begun and not ended. Any thread. */
    int underWay() {
        ClientSession live = session;
        return live == null || !live.isOpen() ? 0 : live.outstanding() + live.openStreams();
    }

    /** Who hears when it has ended, with the reason. */
    void onEnd(Consumer<String> listener) {
        onEnd = listener;
    }

    /** Sets the listener that is notified, on the control thread, when the server is stopping. */
    void onServerStopping(Runnable listener) {
        onServerStopping = listener;
    }

    /** Asks the server about a contract, once for the whole connection. */
    void verify(ServiceContract contract, Duration timeout) {
        String difference = client.contracts().await(contract, timeout);
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
    void onAccessError() {
        context.accessErrors.add();
    }

    @Override
    void onEnded(String reason) {
        LOG.log(System.Logger.Level.DEBUG, "session with {0} has ended: {1}", connection.peer(), reason);
        stopLimit();
        ControlEngine second = context.fallback.forClients();
        if (second != null && canFallBack()) {
            fallBack(second, reason);
            return;
        }
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
