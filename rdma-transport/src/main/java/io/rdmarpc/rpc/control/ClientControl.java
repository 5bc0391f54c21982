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
 * The client's end of a session on the control connection.
 *
 * <pre>
 *   OPEN ->   OPENED -> prepared at the NIC -> live     REJECTED or too late -> ended
 * </pre>
 */
final class ClientControl extends ControlSession {

    private static final String STOPPING = "the server is stopping";
    /** Bounds of the interval at which this side checks whether the last calls at a stopping server have ended. */
    private static final Duration MIN_CHECK_INTERVAL = Duration.ofMillis(1);

    private static final Duration MAX_CHECK_INTERVAL = Duration.ofMillis(50);
    /** A younger session is not opened again. */
    private static final Duration MIN_AGE_TO_REOPEN = Duration.ofSeconds(1);
    /** How long a replaced session must be idle before it ends: a thread may have chosen it before. */
    private static final Duration UNUSED_FOR = Duration.ofSeconds(2);

    private final Id128 token = Id128.random();
    private final CompletableFuture<ClientControl> opened;
    private final ClientConnection client;
    private @Nullable ControlTimer limit;
    private boolean responded;
    /** The time by which the session must be open. */
    private final long deadline;

    private volatile @Nullable ClientSession session;
    private volatile String target = "";
    private volatile boolean keptIdle;
    private volatile Consumer<String> onEnd = reason -> {};
    private volatile Runnable onServerStopping = () -> {};
    private volatile Runnable onReopen = () -> {};
    private long openedNanos;
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

    /**
     * Opens a session on the engine of the given number, or on the engine of the fallback path. Control thread only. The
     * result completes the future.
     */
    static void open(
            ControlContext context,
            int number,
            ClientConnection connection,
            Duration timeout,
            CompletableFuture<ClientControl> opened) {
        ControlEngine fallbackEngine = context.fallback.forClients();
        long now = context.loop.now();
        ControlEngine engine = fallbackEngine != null && avoidsFirstPath(context, connection.address(), now)
                ? fallbackEngine
                : context.placement.engine(number);
        open(context, engine, connection, now + timeout.toNanos(), opened);
    }

    private static boolean avoidsFirstPath(ControlContext context, InetSocketAddress server, long now) {
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
                deadline, () -> control.abort("the server did not respond within " + timeout.toMillis() + " ms"));
        RdmaRpcException rejection = control.reserve();
        connection.open(control);
        if (rejection != null) {
            control.rejected(rejection);
        }
    }

    /** Reserves resources of the engine. Returns null, or the failure if there are not enough. */
    private @Nullable RdmaRpcException reserve() {
        int wanted = parts.config().maxInFlight();
        if (!budget().reserve(wanted)) {
            return new RdmaBackpressureException("the receive ring has no entry for a session with " + connection.peer()
                    + ": " + budget().describe() + ". Raise rdma.ud.receive-depth");
        }
        window = wanted;
        id = parts.loop().sessions().reserveClientId();
        return id < 0
                ? new RdmaBackpressureException("the engine has its maximum number of client sessions: close some, or"
                        + " use more polling threads")
                : null;
    }

    /** Sends OPEN. Called while the connection is live. */
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
                context.fallback.isUsedBy(this)));
    }

    private void abort(String reason) {
        if (isPreparing()) {
            opened.completeExceptionally(new IOException(reason));
            endHere(reason);
        }
    }

    /** Handles the server's rejection. */
    void rejected(Exception why) {
        if (isPreparing()) {
            opened.completeExceptionally(why);
            tearDown(String.valueOf(why.getMessage()));
        }
    }

    @Override
    void onMessage(ControlMessage.OfSession message) throws IOException {
        switch (message) {
            case ControlMessage.Opened response -> onOpened(response);
            case ControlMessage.Rejected rejection -> onRejected(rejection);
            case ControlMessage.Close close -> closed(close.reason());
            case ControlMessage.Draining draining -> onDraining(draining);
            case ControlMessage.Reopen _ -> onReopen();
            case ControlMessage.RcWanted wanted -> connectionWanted();
            case ControlMessage.RcResponse response -> rcStep(() -> complete(response.endpoint()));
            default -> throw new IOException("a server may not send " + message.describe());
        }
    }

    private void closed(String reason) {
        String description = "the peer closed the session: " + reason;
        opened.completeExceptionally(new IOException(description));
        tearDown(description);
    }

    /** Ends the calls that the server will not run. The session ends with the last call that the server runs. */
    private void onDraining(ControlMessage.Draining announcement) throws IOException {
        if (announcement.lasts().length != window) {
            throw new IOException("a server may not send " + announcement.lasts().length
                    + " slots for a session that has " + window + ": " + announcement);
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

    /**
     * Opens another session, which the server places on an engine with less load. A server that sends this too often
     * must not keep this side busy.
     */
    private void onReopen() {
        if (isLive() && !draining && context.loop.now() - openedNanos >= MIN_AGE_TO_REOPEN.toNanos()) {
            onReopen.run();
        }
    }

    /** Ends this session, which another one has replaced, when callers no longer use it. Thread-safe. */
    void replaced() {
        session().markReplaced();
        context.loop.execute(this::endWhenUnused);
    }

    private void endWhenUnused() {
        if (!isLive()) {
            return;
        }
        if (session().idleNanos() >= UNUSED_FOR.toNanos()) {
            endHere("another session has replaced it");
        } else {
            context.loop.after(UNUSED_FOR, this::endWhenUnused);
        }
    }

    /** Called when a response of the server has reported the stop before the server's announcement. */
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
            endWhenIdle(stopping, MIN_CHECK_INTERVAL);
        }
    }

    /** Ends the session after its last call. The end shows the server that its responses have arrived. */
    private void endWhenIdle(ClientSession stopping, Duration interval) {
        if (!isLive()) {
            return;
        }
        if (stopping.outstanding() == 0 && stopping.openStreams() == 0) {
            endHere(STOPPING + ", and its last calls have ended");
            return;
        }
        Duration next = interval.multipliedBy(2);
        Duration nextInterval = next.compareTo(MAX_CHECK_INTERVAL) < 0 ? next : MAX_CHECK_INTERVAL;
        context.loop.after(interval, () -> endWhenIdle(stopping, nextInterval));
    }

    private void onRejected(ControlMessage.Rejected rejection) {
        if (rejection.reason() == SessionRejectReason.CLOSING) {
            client.retire();
        }
        if (!responded && isPreparing() && isOfPath(rejection.reason()) && canFallBack()) {
            tearDown(rejection.detail());
        } else if (!responded) {
            rejected(Rejections.failure(rejection.reason(), rejection.detail()));
        }
    }

    /** A second response to the same request changes nothing. */
    private void onOpened(ControlMessage.Opened response) throws IOException {
        if (responded) {
            return;
        }
        responded = true;
        if (response.window() < 1 || response.window() > window) {
            throw new IOException(
                    "a server may not grant a window outside 1 to " + window + ": " + response.describe());
        }
        shrinkTo(response.window());
        GidEntry from = gid();
        PathMtu mtu = response.mtu().min(ownMtu());
        int maxBytes = Math.min(response.maxMessageBytes(), parts.config().maxMessageBytes());
        prepare(
                () -> terms(
                        from,
                        response.session(),
                        response.cookie(),
                        response.endpoint(),
                        mtu,
                        response.window(),
                        maxBytes),
                terms -> {
                    ClientSession fresh = parts.loop().sessions().newClient(terms, this);
                    session = fresh;
                    known(fresh);
                    parts.loop().sessions().add(fresh);
                    live();
                    stopLimit();
                    if (context.fallback.forClients() == null) {
                        activate(fresh);
                    } else {
                        PathProbe.start(context, fresh, deadline, problem -> probed(fresh, problem));
                    }
                },
                failure -> pathFailed("the server responds, but its NIC cannot be reached: " + failure.getMessage()));
    }

    private void activate(ClientSession fresh) {
        openedNanos = context.loop.now();
        watchIdle(fresh);
        if (context.fallback.isUsedBy(this)) {
            context.fallback.countCalled();
        }
        opened.complete(this);
    }

    private void probed(ClientSession fresh, @Nullable String problem) {
        if (!isLive()) {
            return;
        }
        if (problem == null) {
            activate(fresh);
        } else if (canFallBack()) {
            endHere(problem);
        } else {
            opened.completeExceptionally(new IOException(problem));
            endHere(problem);
        }
    }

    /** Returns whether a rejection concerns the path to the server. The fallback path may then succeed. */
    private static boolean isOfPath(SessionRejectReason reason) {
        return reason == SessionRejectReason.PROVIDER
                || reason == SessionRejectReason.DEVICE
                || reason == SessionRejectReason.INTERNAL;
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
                && !context.fallback.isUsedBy(this)
                && client.isLive()
                && context.fallback.fits(client.providers())
                && deadline - context.loop.now() > 0;
    }

    /** Opens the session with the same server over the fallback path, in the remaining time. */
    private void fallBack(ControlEngine fallbackEngine, String reason) {
        LOG.log(
                System.Logger.Level.WARNING,
                "server {0} is reached through {1} ({2}) instead of {3}. New sessions try {3} again after {4} s."
                        + " Reason: {5}",
                connection.peer(),
                fallbackEngine.parts().nic().deviceName(),
                fallbackEngine.parts().nic().providerName(),
                parts.nic().deviceName(),
                Fallback.AVOIDED.toSeconds(),
                reason);
        context.fallback.avoid(client.address(), context.loop.now());
        open(context, fallbackEngine, client, deadline, opened);
    }

    /**
     * Closes a session that is idle for too long, so that the server can accept another one. The next call opens a new
     * session.
     */
    private void watchIdle(ClientSession watched) {
        Duration maxIdle = context.config.control().sessionIdleTimeout();
        if (maxIdle.isZero() || keptIdle) {
            return;
        }
        long left = maxIdle.toNanos() - watched.idleNanos();
        if (left <= 0) {
            onEnd = reason -> {};
            endHere("no call for " + maxIdle.toMillis() + " ms");
        } else {
            limit = context.loop.after(Duration.ofNanos(left), () -> {
                if (isLive()) {
                    watchIdle(watched);
                }
            });
        }
    }

    /** Thread-safe. */
    void keepIdle() {
        keptIdle = true;
    }

    /**
     * Reduces the reserved entries to the granted ones. All reservations run on this thread, so the second one cannot
     * fail.
     */
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
            throw new IllegalStateException("the session is not open yet");
        }
        return live;
    }

    /** Returns the number of calls and streams that have begun and not ended. Thread-safe. */
    int underWay() {
        ClientSession live = session;
        return live == null || !live.isOpen() ? 0 : live.outstanding() + live.openStreams();
    }

    /** Sets the listener that is notified of the session's end, with the reason. */
    void onEnd(Consumer<String> listener) {
        onEnd = listener;
    }

    /** Sets the listener that is notified, on the control thread, when the server is stopping. */
    void onServerStopping(Runnable listener) {
        onServerStopping = listener;
    }

    /** Sets the listener that is notified, on the control thread, when the server asks for another session. */
    void onReopen(Runnable listener) {
        onReopen = listener;
    }

    /** Returns the address of the server's control port. */
    InetSocketAddress serverAddress() {
        return client.address();
    }

    /** Verifies a contract with the server, once for the whole connection. */
    void verify(ServiceContract contract, Duration timeout) {
        String difference = client.contracts().await(contract, timeout);
        if (!difference.isEmpty()) {
            // The next call verifies again, because the server may export the service in the meantime.
            client.contracts().forget(contract);
            throw new RdmaContractException(
                    connection.peer() + " rejects calls of service " + contract.name() + ": " + difference);
        }
    }

    @Override
    public void connectionWanted() {
        GidEntry from = gid();
        rcStep(() -> offerRc(from));
    }

    /** Offers a connection unless there is one, because both sides may request it. */
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

    @Override
    String target() {
        return target;
    }

    /** Sets the name of the target, for snapshots. */
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
        ControlEngine fallbackEngine = context.fallback.forClients();
        if (fallbackEngine != null && canFallBack()) {
            fallBack(fallbackEngine, reason);
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
