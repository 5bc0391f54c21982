package io.rdmarpc.rpc.control.limit;

import io.rdmarpc.memory.MemoryBudget;
import io.rdmarpc.rpc.config.ControlConfig;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts what each peer has at this server. A peer is the subject of its certificate; without one, the address that it comes from.
 * Where no setting limits a peer, it may have its {@linkplain FairShare fair share}. Control thread only.
 */
public final class PeerAccounts {

    private static final String BYTES_SETTING = "rdma.server.max-lent-per-peer";

    private final ControlConfig limits;
    private final MemoryBudget memory;
    private final Map<Object, PeerAccount> accounts = new HashMap<>();
    private int sessions;
    private int connections;

    public PeerAccounts(ControlConfig limits, MemoryBudget memory) {
        this.limits = limits;
        this.memory = memory;
    }

    /** What one peer has. */
    public final class PeerAccount {

        private final Object peer;
        private final MemoryBudget budget = budgetOfPeer();
        private final Map<ReceiveBudget, Integer> sessionsByRing = new HashMap<>();
        private int ownSessions;
        private int ownConnections;

        private PeerAccount(Object peer) {
            this.peer = peer;
        }

        /** Limits all that is lent to the peer, by whichever session. */
        public MemoryBudget budget() {
            return budget;
        }

        public boolean hasTooManySessions() {
            return ownSessions >= mostSessions();
        }

        public int mostSessions() {
            return limits.maxSessionsPerPeer() == ControlConfig.FAIR_SHARE
                    ? FairShare.of(limits.maxSessions(), sessions - ownSessions)
                    : limits.maxSessionsPerPeer();
        }

        public boolean hasTooManyConnections() {
            return ownConnections > mostConnections();
        }

        public int mostConnections() {
            return limits.maxSessionsPerPeer() == ControlConfig.FAIR_SHARE
                    ? FairShare.of(limits.maxSessions(), connections - ownConnections)
                    : limits.maxSessionsPerPeer();
        }

        /** A peer without memory needs none to begin. */
        public boolean hasTooManyBytes() {
            long bytes = budget.registeredBytes();
            return bytes > 0 && bytes >= budget.limitBytes();
        }

        /**
         * Reserves entries of a receive ring for a session that has come; false when there are none for this peer, or for this
         * one of its connections: clients that share an address, or a certificate, leave room for each other, too.
         */
        public boolean reserve(ReceiveBudget ring, int window, int sessionsOfConnection) {
            return hasShare(ring, sessionsOfConnection) && ring.reserve(window);
        }

        private boolean hasShare(ReceiveBudget ring, int sessionsOfConnection) {
            if (limits.maxSessionsPerPeer() != ControlConfig.FAIR_SHARE) {
                return true;
            }
            int ofPeer = sessionsOn(ring);
            int share = FairShare.of(ring.limit(), ring.reserved() - (ofPeer - 1));
            return ofPeer <= share && sessionsOfConnection <= FairShare.of(share, ofPeer - sessionsOfConnection);
        }

        public int sessionsOn(ReceiveBudget ring) {
            return sessionsByRing.getOrDefault(ring, 0);
        }

        public void addSession(ReceiveBudget ring) {
            ownSessions++;
            sessions++;
            sessionsByRing.merge(ring, 1, Integer::sum);
        }

        public void removeSession(ReceiveBudget ring) {
            ownSessions--;
            sessions--;
            sessionsByRing.computeIfPresent(ring, (known, count) -> count > 1 ? count - 1 : null);
            forgetIfEmpty();
        }

        public void removeConnection() {
            ownConnections--;
            connections--;
            forgetIfEmpty();
        }

        private void forgetIfEmpty() {
            if (ownSessions == 0 && ownConnections == 0) {
                accounts.remove(peer, this);
            }
        }
    }

    private MemoryBudget budgetOfPeer() {
        return limits.maxBytesPerPeer() == ControlConfig.FAIR_SHARE
                ? memory.fairChild(BYTES_SETTING)
                : memory.child(limits.maxBytesPerPeer(), BYTES_SETTING);
    }

    /**
     * Counts a connection.
     *
     * @param peer its address, or the principal of its certificate
     */
    public PeerAccount addConnection(Object peer) {
        PeerAccount account = accounts.computeIfAbsent(peer, PeerAccount::new);
        account.ownConnections++;
        connections++;
        return account;
    }

    public boolean hasTooManySessions() {
        return sessions >= limits.maxSessions();
    }

    public boolean hasTooManyConnections() {
        return connections > limits.maxSessions();
    }

    public int sessions() {
        return sessions;
    }

    /** Counts peers, for tests: what comes must go. */
    public int size() {
        return accounts.size();
    }
}
