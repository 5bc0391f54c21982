package io.rdmarpc.rpc.control.limit;

import io.rdmarpc.memory.MemoryBudget;
import io.rdmarpc.rpc.config.ControlConfig;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts the resources of each peer at this server. A peer is identified by the subject of its certificate, or by its
 * address without one. If no setting limits a peer, it may have its {@linkplain FairShare fair share}. Control thread
 * only.
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

    /** The resources of one peer. */
    public final class PeerAccount {

        private final Object peer;
        private final MemoryBudget budget = budgetOfPeer();
        private final Map<ReceiveBudget, Integer> sessionsByRing = new HashMap<>();
        private int ownSessions;
        private int ownConnections;

        private PeerAccount(Object peer) {
            this.peer = peer;
        }

        /** Returns the budget that limits all memory lent to the peer, over all its sessions. */
        public MemoryBudget budget() {
            return budget;
        }

        public boolean hasTooManySessions() {
            return ownSessions >= maxSessions();
        }

        public int maxSessions() {
            return limits.maxSessionsPerPeer() == ControlConfig.FAIR_SHARE
                    ? FairShare.of(limits.maxSessions(), sessions - ownSessions)
                    : limits.maxSessionsPerPeer();
        }

        public boolean hasTooManyConnections() {
            return ownConnections > maxConnections();
        }

        public int maxConnections() {
            return limits.maxSessionsPerPeer() == ControlConfig.FAIR_SHARE
                    ? FairShare.of(limits.maxSessions(), connections - ownConnections)
                    : limits.maxSessionsPerPeer();
        }

        /** Returns whether the peer has reached its limit. A peer without lent memory has not reached it. */
        public boolean hasTooManyBytes() {
            long bytes = budget.registeredBytes();
            return bytes > 0 && bytes >= budget.limitBytes();
        }

        /**
         * Reserves entries of a receive ring for a new session. Returns false if this peer, or this connection of it,
         * has used its share. Clients with the same address or certificate thereby leave entries for each other.
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
        return limits.maxLentPerPeer() == ControlConfig.FAIR_SHARE
                ? memory.fairChild(BYTES_SETTING)
                : memory.child(limits.maxLentPerPeer(), BYTES_SETTING);
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

    /** Returns the number of peers, for tests of leaks. */
    public int size() {
        return accounts.size();
    }
}
