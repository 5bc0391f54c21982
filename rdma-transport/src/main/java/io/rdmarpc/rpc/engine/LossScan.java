package io.rdmarpc.rpc.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What time does to sessions: deadlines, retransmission, the end of closed ones. Engine thread only. */
final class LossScan {

    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final SessionTable<ClientSession> clients;
    private final ClientRequests requests;
    private final LargeTransfers transfers;
    private final Transmitter transmitter;
    private final List<EngineSession> closing = new ArrayList<>();
    private long nextNanos;
    private boolean started;

    LossScan(
            SessionTable<ClientSession> clients,
            ClientRequests requests,
            LargeTransfers transfers,
            Transmitter transmitter) {
        this.clients = clients;
        this.requests = requests;
        this.transfers = transfers;
        this.transmitter = transmitter;
    }

    /** Does it once a millisecond; returns how many sessions were let go. */
    int run(long nowNanos) {
        if (started && nowNanos - nextNanos < 0) {
            return 0;
        }
        started = true;
        nextNanos = nowNanos + INTERVAL_NANOS;
        List<ClientSession> sessions = clients.all();
        for (int i = 0; i < sessions.size(); i++) {
            watch(sessions.get(i), nowNanos);
        }
        return reap();
    }

    /** Tells whether a scan might find something. */
    boolean isNeeded() {
        List<ClientSession> sessions = clients.all();
        for (int i = 0; i < sessions.size(); i++) {
            ClientSession session = sessions.get(i);
            if (session.activeSlots > 0 || !session.backlog.isEmpty()) {
                return true;
            }
        }
        return !closing.isEmpty();
    }

    private void watch(ClientSession session, long nowNanos) {
        if (session.activeSlots > 0) {
            for (ClientSlot slot : session.slots) {
                requests.watch(session, slot, nowNanos);
            }
        }
        if (!session.backlog.isEmpty()) {
            requests.expireBacklog(session, nowNanos);
            requests.startWaiting(session, nowNanos);
        }
    }

    /** A removed session is let go when the NIC refers to nothing of it any more. */
    void onRemoved(EngineSession session) {
        closing.add(session);
    }

    private int reap() {
        if (closing.isEmpty()) {
            return 0;
        }
        int before = closing.size();
        closing.removeIf(session -> {
            boolean drained = !transfers.isBusy(session) && transmitter.hasLeft(session.path);
            if (drained) {
                session.host.drained();
            }
            return drained;
        });
        return before - closing.size();
    }

    List<EngineSession> closing() {
        return closing;
    }
}
