package io.rdmarpc.rpc.engine;

import io.rdmarpc.rpc.engine.client.ClientCallTermination;
import io.rdmarpc.rpc.engine.client.ClientParts;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.context.EngineContext;
import io.rdmarpc.rpc.engine.packet.CreditPool;
import io.rdmarpc.rpc.engine.server.ServerResponses;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.engine.session.EngineSession;
import io.rdmarpc.rpc.engine.session.SessionHost;
import io.rdmarpc.rpc.engine.session.SessionTable;
import io.rdmarpc.rpc.engine.session.SessionTerms;
import io.rdmarpc.rpc.engine.stream.Streams;
import io.rdmarpc.rpc.engine.transfer.ClosingSessions;
import io.rdmarpc.rpc.engine.transfer.LargeTransfers;
import io.rdmarpc.transport.RcConnection;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * The sessions of one engine and their life cycle. Any thread may reserve numbers and add or remove sessions. Each
 * operation changes the engine's state by one command on the engine's thread.
 *
 * <pre>
 *   reserve -> add -> (failed: its control side removes it) -> remove -> closing -> drained -> return number
 * </pre>
 */
public final class Sessions {

    private final EngineContext context;
    private final ClientParts clientParts;
    private final ServerResponses serverResponses;
    private final LargeTransfers transfers;
    private final ClientCallTermination termination;
    private final CreditPool credits;
    private final Streams streams;
    private final ClosingSessions closing;
    private final SessionTable<ClientSession> clients = new SessionTable<>();
    private final SessionTable<ServerSession> servers = new SessionTable<>();

    Sessions(
            EngineContext context,
            ClientParts clientParts,
            ServerResponses serverResponses,
            ClientCallTermination termination,
            LargeTransfers transfers,
            ClosingSessions closing) {
        this.context = context;
        this.clientParts = clientParts;
        this.serverResponses = serverResponses;
        this.termination = termination;
        this.credits = clientParts.credits();
        this.streams = clientParts.streams();
        this.transfers = transfers;
        this.closing = closing;
    }

    /**
     * Creates the client's end of a session, which {@link #add(ClientSession)} activates. Thread-safe.
     *
     * @param terms the negotiated terms
     * @param host the control side
     * @return the session
     */
    public ClientSession newClient(SessionTerms terms, SessionHost host) {
        return new ClientSession(terms, host, context, clientParts);
    }

    /**
     * Creates the server's end of a session, which {@link #add(ServerSession, Runnable)} activates. Thread-safe.
     *
     * @param terms the negotiated terms
     * @param host the control side
     * @return the session
     */
    public ServerSession newServer(SessionTerms terms, SessionHost host) {
        return new ServerSession(
                terms, host, context, clientParts.slab(), clientParts.transmitter(), credits, serverResponses);
    }

    SessionTable<ClientSession> clients() {
        return clients;
    }

    SessionTable<ServerSession> servers() {
        return servers;
    }

    /**
     * Reserves a number for a client session. Thread-safe.
     *
     * @return the number, -1 if there are too many
     */
    public int reserveClientId() {
        return clients.reserve();
    }

    /**
     * Reserves a number for a server session. Thread-safe.
     *
     * @return the number, -1 if there are too many
     */
    public int reserveServerId() {
        return servers.reserve();
    }

    /**
     * Returns a number for reuse. Thread-safe. Called after {@link SessionHost#drained}, or if the session was never
     * added.
     *
     * @param id the number
     */
    public void giveBackClientId(int id) {
        clients.giveBack(id);
    }

    /**
     * Returns a number for reuse. Thread-safe. Called after {@link SessionHost#drained}, or if the session was never
     * added.
     *
     * @param id the number
     */
    public void giveBackServerId(int id) {
        servers.giveBack(id);
    }

    /**
     * Adds a client session. Thread-safe; commands that are queued later find it.
     *
     * @param session the session
     */
    public void add(ClientSession session) {
        context.submit(_ -> {
            transfers.join(session);
            clients.put(session);
            credits.join();
            failIfEngineFailed(session);
        });
    }

    /**
     * Adds a server session. Thread-safe.
     *
     * @param session the session
     * @param added runs on the engine thread once the engine accepts packets of the session; must not block
     */
    public void add(ServerSession session, Runnable added) {
        context.submit(_ -> {
            transfers.join(session);
            servers.put(session);
            credits.join();
            failIfEngineFailed(session);
            added.run();
        });
    }

    /**
     * Sets the reliable connection of a session. Thread-safe.
     *
     * @param session the session
     * @param connection a connection that is ready for READs
     */
    public void connected(EngineSession session, RcConnection connection) {
        context.submit(_ -> transfers.onConnected(session, connection));
    }

    /**
     * Ends a session. Its calls fail now. {@link SessionHost#drained} follows when the NIC no longer uses its memory.
     * Thread-safe.
     *
     * @param session the session
     * @param reason the reason, for exception messages
     */
    public void remove(EngineSession session, String reason) {
        session.markClosed(reason);
        context.submit(now -> onRemove(session, now));
    }

    /**
     * Drains a server session: it runs no calls that arrive from now on. Thread-safe.
     *
     * @param session the session
     * @param announce receives, on the engine thread, the last request index of each slot that the server runs. It must
     *     not block. It is not called if the session has ended
     */
    public void drain(ServerSession session, Consumer<long[]> announce) {
        context.submit(_ -> {
            if (session.equals(servers.get(session.id))) {
                announce.accept(session.drain());
            }
        });
    }

    /**
     * Counts the calls of all draining sessions whose responses their clients have not received. Thread-safe. Commands
     * that were queued before run first.
     *
     * @param counted receives the number on the engine thread; must not block
     */
    public void countServing(IntConsumer counted) {
        context.submit(_ -> {
            int count = 0;
            for (ServerSession session : servers.all()) {
                count += session.isDraining() ? session.unfinishedCalls() : 0;
            }
            counted.accept(count);
        });
    }

    /**
     * Stops new calls in a client session whose server is stopping. Calls that the server does not run end with {@link
     * io.rdmarpc.rpc.error.RdmaNotExecutedException}; the others continue. Thread-safe.
     *
     * @param session the session
     * @param lasts the last request index of each slot that the server runs
     */
    public void serverStops(ClientSession session, long[] lasts) {
        session.markServerStopping();
        context.submit(now -> {
            if (session.isOpen()) {
                termination.onServerStopping(session, lasts, now);
            }
        });
    }

    /** Fails a session that was added to a failed engine. */
    private void failIfEngineFailed(EngineSession session) {
        String problem = context.failures().problem();
        if (problem != null) {
            session.terminate(problem);
        }
    }

    private void onRemove(EngineSession session, long now) {
        boolean removed = session instanceof ClientSession client
                ? clients.remove(client)
                : servers.remove((ServerSession) session);
        if (!removed) {
            return;
        }
        // Runs each step even if an earlier one fails, so that all calls end and the session is released.
        attempt(session::retireMemory);
        attempt(() -> transfers.cancel(session));
        attempt(() -> session.endCalls(now));
        attempt(() -> streams.sessionEnded(session));
        credits.leave();
        closing.add(session, now);
    }

    private void attempt(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            context.failures().caught("the end of a session", e);
        }
    }

    /** Fails all sessions; their control sides then remove them. Engine thread. */
    void failAll(String reason) {
        clients.all().forEach(session -> attempt(() -> session.terminate(reason)));
        servers.all().forEach(session -> attempt(() -> session.terminate(reason)));
    }

    /** Ends all sessions when no thread runs the loop any more, in place of the commands of their control sides. */
    void endAll(String reason, long now) {
        failAll(reason);
        clients.all().forEach(session -> attempt(() -> onRemove(session, now)));
        servers.all().forEach(session -> attempt(() -> onRemove(session, now)));
    }

    /** Releases all sessions after {@link #endAll}, when the NIC no longer uses their memory. */
    void releaseAll() {
        closing.releaseAll();
    }
}
