package io.rdmarpc.rpc.control;

import io.rdmarpc.memory.MemoryBudget;
import io.rdmarpc.rpc.config.ControlConfig;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts what each peer has at this server. A peer is the subject of its certificate; without one, the address that it comes from.
 * Where no setting limits a peer, it may have its {@linkplain FairShare fair share}. Control thread only.
 */
final class PeerAccounts {

    private static final String BYTES_SETTING = "rdma.server.max-bytes-per-peer";

    private final ControlConfig limits;
    private final MemoryBudget memory;
    private final Map<Object, PeerAccount> accounts = new HashMap<>();
    private int sessions;
    private int connections;

    PeerAccounts(ControlConfig limits, MemoryBudget memory) {
        this.limits = limits;
        this.memory = memory;
    }

    /** What one peer has. */
    final class PeerAccount {

        private final Object peer;
        private final MemoryBudget budget = budgetOfPeer();
        private final Map<ReceiveBudget, Integer> sessionsByRing = new HashMap<>();
        private int ownSessions;
        private int ownConnections;

        private PeerAccount(Object peer) {
            this.peer = peer;
        }

        /** Limits all that is lent to the peer, by whichever session. */
        MemoryBudget budget() {
            return budget;
        }

        boolean hasTooManySessions() {
            return ownSessions >= mostSessions();
        }

        int mostSessions() {
            return limits.maxSessionsPerPeer() == ControlConfig.FAIR_SHARE
                    ? FairShare.of(limits.maxSessions(), sessions - ownSessions)
                    : limits.maxSessionsPerPeer();
        }

        boolean hasTooManyConnections() {
            return ownConnections > mostConnections();
        }

        int mostConnections() {
            return limits.maxSessionsPerPeer() == ControlConfig.FAIR_SHARE
                    ? FairShare.of(limits.maxSessions(), connections - ownConnections)
                    : limits.maxSessionsPerPeer();
        }

        /** A peer without memory needs none to begin. */
        boolean hasTooManyBytes() {
            long bytes = budget.registeredBytes();
            return bytes > 0 && bytes >= budget.limitBytes();
        }

        /**
         * Reserves entries of a receive ring for a session that has come; false when there are none for this peer, or for this
         * one of its connections: clients that share an address, or a certificate, leave room for each other, too.
         */
        boolean reserve(ReceiveBudget ring, int window, int sessionsOfConnection) {
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

        int sessionsOn(ReceiveBudget ring) {
            return sessionsByRing.getOrDefault(ring, 0);
        }

        void sessionCame(ReceiveBudget ring) {
            ownSessions++;
            sessions++;
            sessionsByRing.merge(ring, 1, Integer::sum);
        }

        void sessionWent(ReceiveBudget ring) {
            ownSessions--;
            sessions--;
            sessionsByRing.computeIfPresent(ring, (known, count) -> count > 1 ? count - 1 : null);
            forgetIfEmpty();
        }

        void connectionWent() {
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
    PeerAccount connectionCame(Object peer) {
        PeerAccount account = accounts.computeIfAbsent(peer, PeerAccount::new);
        account.ownConnections++;
        connections++;
        return account;
    }

    boolean hasTooManySessions() {
        return sessions >= limits.maxSessions();
    }

    boolean hasTooManyConnections() {
        return connections > limits.maxSessions();
    }

    int sessions() {
        return sessions;
    }

    /** Counts peers, for tests: what comes must go. */
    int size() {
        return accounts.size();
    }
}
