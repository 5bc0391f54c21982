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
 * The sessions of one engine: how they come, break and go. Numbers are handed out, and sessions come and go, by any
 * thread; what that means for the engine happens on its own, one command each.
 *
 * <pre>
 *   reserve -> add -> (broken: its control side removes it) -> remove -> closing -> drained -> give back
 * </pre>
 */
public final class Sessions {

    private final EngineContext context;
    private final ClientParts clientParts;
    private final ServerResponses serverResponses;
    private final LargeTransfers transfers;
    private final ClientCallTermination endings;
    private final CreditPool credits;
    private final Streams streams;
    private final ClosingSessions closing;
    private final SessionTable<ClientSession> clients = new SessionTable<>();
    private final SessionTable<ServerSession> servers = new SessionTable<>();

    Sessions(
            EngineContext context,
            ClientParts clientParts,
            ServerResponses serverResponses,
            ClientCallTermination endings,
            LargeTransfers transfers,
            ClosingSessions closing) {
        this.context = context;
        this.clientParts = clientParts;
        this.serverResponses = serverResponses;
        this.endings = endings;
        this.credits = clientParts.credits();
        this.streams = clientParts.streams();
        this.transfers = transfers;
        this.closing = closing;
    }

    /**
     * Makes the calling end of a session; {@link #add(ClientSession)} brings it to life. Any thread.
     *
     * @param terms what was negotiated
     * @param host the control side
     * @return the session
     */
    public ClientSession newClient(SessionTerms terms, SessionHost host) {
        return new ClientSession(terms, host, context, clientParts);
    }

    /**
     * Makes the answering end of a session; {@link #add(ServerSession, Runnable)} brings it to life. Any thread.
     *
     * @param terms what was negotiated
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
     * Reserves a number for a calling session. Any thread.
     *
     * @return the number, -1 when there are too many
     */
    public int reserveClientId() {
        return clients.reserve();
    }

    /**
     * Reserves a number for an answering session. Any thread.
     *
     * @return the number, -1 when there are too many
     */
    public int reserveServerId() {
        return servers.reserve();
    }

    /**
     * Gives a number back. Any thread, after {@link SessionHost#drained} or when the session was never added.
     *
     * @param id the number
     */
    public void giveBackClientId(int id) {
        clients.giveBack(id);
    }

    /**
     * Gives a number back. Any thread, after {@link SessionHost#drained} or when the session was never added.
     *
     * @param id the number
     */
    public void giveBackServerId(int id) {
        servers.giveBack(id);
    }

    /**
     * Adds a calling session. Any thread; commands queued later find it there.
     *
     * @param session the session
     */
    public void add(ClientSession session) {
        context.submit(_ -> {
            transfers.join(session);
            clients.put(session);
            credits.join();
            breakOffIfFailed(session);
        });
    }

    /**
     * Adds an answering session. Any thread.
     *
     * @param session the session
     * @param added run on the engine thread once packets of the session are taken; must not block
     */
    public void add(ServerSession session, Runnable added) {
        context.submit(_ -> {
            transfers.join(session);
            servers.put(session);
            credits.join();
            breakOffIfFailed(session);
            added.run();
        });
    }

    /**
     * Gives a session its reliable connection. Any thread.
     *
     * @param session the session
     * @param connection ready for READs
     */
    public void connected(EngineSession session, RcConnection connection) {
        context.submit(_ -> transfers.onConnected(session, connection));
    }

    /**
     * Ends a session: its calls fail now, {@link SessionHost#drained} follows when the NIC is done with it. Any thread.
     *
     * @param session the session
     * @param reason why, in words for callers
     */
    public void remove(EngineSession session, String reason) {
        session.markClosed(reason);
        context.submit(now -> onRemove(session, now));
    }

    /**
     * Lets an answering session begin no call any more that has not arrived. Any thread.
     *
     * @param session the session
     * @param announce run on the engine thread with the last request index of each slot that is run; must not block. Not
     *     run when the session has ended
     */
    public void drain(ServerSession session, Consumer<long[]> announce) {
        context.submit(_ -> {
            if (session.equals(servers.get(session.id))) {
                announce.accept(session.drain());
            }
        });
    }

    /**
     * Counts the calls of all draining sessions whose answers their clients have not got yet. Any thread; commands queued before
     * are done by then.
     *
     * @param counted run on the engine thread; must not block
     */
    public void countAnswering(IntConsumer counted) {
        context.submit(_ -> {
            int count = 0;
            for (ServerSession session : servers.all()) {
                count += session.isDraining() ? session.answering() : 0;
            }
            counted.accept(count);
        });
    }

    /**
     * Begins no call in a calling session any more: its server is stopping. Calls that it does not run end with {@link
     * io.rdmarpc.rpc.error.RdmaNotExecutedException}, the others go on. Any thread.
     *
     * @param session the session
     * @param lasts the last request index of each slot that the server runs
     */
    public void serverStops(ClientSession session, long[] lasts) {
        session.markLeaving();
        context.submit(now -> {
            if (session.isOpen()) {
                endings.leave(session, lasts, now);
            }
        });
    }

    /** A session that comes to an engine that does not work has no time to lose. */
    private void breakOffIfFailed(EngineSession session) {
        String problem = context.failures().problem();
        if (problem != null) {
            session.breakOff(problem);
        }
    }

    private void onRemove(EngineSession session, long now) {
        boolean removed = session instanceof ClientSession client
                ? clients.remove(client)
                : servers.remove((ServerSession) session);
        if (!removed) {
            return;
        }
        // Each by itself: what fails must keep neither calls from ending nor the session from being let go.
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

    /** No session can go on; their control sides will remove them. Engine thread. */
    void breakAll(String reason) {
        clients.all().forEach(session -> attempt(() -> session.breakOff(reason)));
        servers.all().forEach(session -> attempt(() -> session.breakOff(reason)));
    }

    /** Nobody turns the loop any more: what their control sides would ask for happens now. */
    void endAll(String reason, long now) {
        breakAll(reason);
        clients.all().forEach(session -> attempt(() -> onRemove(session, now)));
        servers.all().forEach(session -> attempt(() -> onRemove(session, now)));
    }

    /** After {@link #endAll}, when the NIC refers to nothing any more. */
    void releaseAll() {
        closing.releaseAll();
    }
}
