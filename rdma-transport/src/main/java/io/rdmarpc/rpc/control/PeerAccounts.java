package io.rdmarpc.rpc.control;

import io.rdmarpc.memory.MemoryBudget;
import io.rdmarpc.rpc.ControlConfig;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;

/** What each host has at this server. Control thread only. */
final class PeerAccounts {

    private final ControlConfig limits;
    private final MemoryBudget memory;
    private final Map<InetAddress, PeerAccount> accounts = new HashMap<>();
    private int sessions;
    private int connections;
    private int handshakes;

    PeerAccounts(ControlConfig limits, MemoryBudget memory) {
        this.limits = limits;
        this.memory = memory;
    }

    /** What one host has. */
    final class PeerAccount {

        private final InetAddress host;
        private final MemoryBudget budget = memory.child(limits.maxBytesPerPeer(), "rdma.server.max-bytes-per-peer");
        private int ownSessions;
        private int ownConnections;

        private PeerAccount(InetAddress host) {
            this.host = host;
        }

        /** Limits all that is lent to the host, by whichever session. */
        MemoryBudget budget() {
            return budget;
        }

        boolean hasTooManySessions() {
            return ownSessions >= limits.maxSessionsPerPeer();
        }

        boolean hasTooManyConnections() {
            return ownConnections > limits.maxSessionsPerPeer();
        }

        boolean hasTooManyBytes() {
            return budget.registeredBytes() >= limits.maxBytesPerPeer();
        }

        void sessionCame() {
            ownSessions++;
            sessions++;
        }

        void sessionWent() {
            ownSessions--;
            sessions--;
            forgetIfEmpty();
        }

        void connectionWent() {
            ownConnections--;
            connections--;
            forgetIfEmpty();
        }

        private void forgetIfEmpty() {
            if (ownSessions == 0 && ownConnections == 0) {
                accounts.remove(host, this);
            }
        }
    }

    PeerAccount connectionCame(InetAddress host) {
        PeerAccount account = accounts.computeIfAbsent(host, PeerAccount::new);
        account.ownConnections++;
        connections++;
        return account;
    }

    void handshakeBegan() {
        handshakes++;
    }

    void handshakeEnded() {
        handshakes--;
    }

    boolean hasTooManyHandshakes() {
        return handshakes > limits.maxPendingHandshakes();
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

    /** Counts hosts, for tests: what comes must go. */
    int size() {
        return accounts.size();
    }
}
