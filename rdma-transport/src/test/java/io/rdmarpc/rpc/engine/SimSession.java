package io.rdmarpc.rpc.engine;

import io.rdmarpc.memory.LendingPool;
import io.rdmarpc.rpc.SessionInfo;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.context.Expect;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.engine.session.EngineSession;
import io.rdmarpc.rpc.engine.session.SessionHost;
import io.rdmarpc.rpc.engine.session.SessionTerms;
import io.rdmarpc.rpc.message.MessageOrigin;
import io.rdmarpc.rpc.wire.ControlCodec;
import io.rdmarpc.transport.RcConnection;
import io.rdmarpc.transport.UdEndpoint;
import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.attributes.PathMtu;
import org.jspecify.annotations.Nullable;

/**
 * A session between two nodes of a {@link Simulation}, with the control sides of both ends. The work of control threads
 * is delayed.
 */
final class SimSession {

    static final int MAX_WINDOW = 4;

    final End client;
    final End server;
    private final PathMtu mtu;
    private boolean connecting;

    SimSession(SimNode caller, SimNode responder, int window, PathMtu mtu, long cookie) {
        this.mtu = mtu;
        client = new End(caller);
        server = new End(responder);
        int clientId = caller.loop.sessions().reserveClientId();
        int serverId = responder.loop.sessions().reserveServerId();
        ServerSession serving =
                responder.loop.sessions().newServer(server.terms(serverId, clientId, caller, window, cookie), server);
        ClientSession calling =
                caller.loop.sessions().newClient(client.terms(clientId, serverId, responder, window, cookie), client);
        server.session = serving;
        client.session = calling;
        responder.loop.sessions().add(serving, () -> {});
        caller.loop.sessions().add(calling);
    }

    ClientSession client() {
        return (ClientSession) client.live();
    }

    ServerSession server() {
        return (ServerSession) server.live();
    }

    private End peerOf(End end) {
        return end == client ? server : client;
    }

    boolean isOver() {
        return client.released && server.released;
    }

    /** The control side of one end. */
    final class End implements SessionHost {

        final SimNode node;
        final ProtectionDomain domain;
        final LendingPool lending;
        int drains;
        boolean removed;
        boolean released;
        /** Whether the server has announced to this client that it is stopping. */
        boolean announced;

        private @Nullable AddressHandle handle;
        private @Nullable EngineSession session;
        private @Nullable RcConnection rc;

        private End(SimNode node) {
            this.node = node;
            this.domain = node.nic.allocateProtectionDomain();
            this.lending = new LendingPool(domain, node.budget, Runnable::run);
        }

        private SessionTerms terms(int id, int peerId, SimNode peer, int window, long cookie) {
            UdEndpoint to = peer.endpoint();
            AddressHandle way = node.nic.createAddressHandle(node.nic.gid(), to.gid(), to.lid());
            handle = way;
            SessionInfo info = new SessionInfo("peer", "soft", "soft0", mtu.bytes(), window, SimNode.MAX_MESSAGE);
            return new SessionTerms(
                    id, peerId, cookie, to, way, lending, new MessageOrigin(to, this), info, ControlCodec.VERSION);
        }

        EngineSession live() {
            return Expect.present(session);
        }

        @Override
        public void connectionWanted() {
            node.control.add(SimSession.this::connect);
        }

        @Override
        public void serverStops() {
            // The announcement is also in flight.
        }

        @Override
        public void broken(String reason) {
            node.control.add(() -> end(reason));
        }

        @Override
        public void drained() {
            drains++;
            node.control.add(this::release);
        }

        private void release() {
            if (rc != null) {
                rc.close();
            }
            Expect.present(handle).close();
            lending.revoke();
            lending.close();
            domain.close();
            released = true;
            if (session instanceof ClientSession calling) {
                node.loop.sessions().giveBackClientId(calling.id);
            } else {
                node.loop.sessions().giveBackServerId(live().id);
            }
        }

        /** Ends this side; the other side is notified later. */
        void end(String reason) {
            if (removed) {
                return;
            }
            removed = true;
            live().markClosed(reason);
            if (rc != null) {
                rc.abort();
            }
            node.loop.sessions().remove(live(), reason);
            End peer = peerOf(this);
            peer.node.control.add(() -> peer.end("the peer said goodbye"));
        }

        /**
         * Stops the server, which announces to the client the calls that it runs. Called on the control thread of the
         * server.
         */
        void drain() {
            if (!removed && live() instanceof ServerSession serving) {
                End peer = peerOf(this);
                node.loop.sessions().drain(serving, lasts -> peer.node.control.add(() -> peer.onDraining(lasts)));
            }
        }

        private void onDraining(long[] lasts) {
            if (!removed) {
                node.loop.sessions().serverStops(client(), lasts);
                announced = true;
            }
        }

        /** Closes a session whose server is stopping when its last call there has ended. */
        void endWhenIdle() {
            if (announced && !removed && client().outstanding() == 0 && client().openStreams() == 0) {
                end("all calls have ended");
            }
        }

        private void ready() {
            RcConnection connection = rc;
            if (connection != null && !released) {
                node.loop.sessions().connected(live(), connection);
            }
        }
    }

    private void connect() {
        if (connecting || client.removed || server.removed) {
            return;
        }
        connecting = true;
        RcConnection calling = client.node.rc.prepare(client.node.nic.gid(), client.domain);
        RcConnection responding = server.node.rc.prepare(server.node.nic.gid(), server.domain);
        calling.complete(responding.endpoint(), mtu);
        responding.complete(calling.endpoint(), mtu);
        client.rc = calling;
        server.rc = responding;
        client.node.control.add(client::ready);
        server.node.control.add(server::ready);
    }
}
