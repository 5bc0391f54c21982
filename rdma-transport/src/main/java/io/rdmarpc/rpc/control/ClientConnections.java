package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.control.net.SocketWire;
import io.rdmarpc.rpc.control.net.TlsEngines;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The control connections to servers: one for each address, shared by all channels. Control thread only. */
final class ClientConnections {

    private final ControlContext context;
    private final Map<ServerKey, ClientConnection> connections = new HashMap<>();
    /** All connections, including those whose servers are stopping. */
    private final Set<ClientConnection> all = new HashSet<>();

    /** A certificate is for a name: a second name for the same address needs a connection and a check of its own. */
    private record ServerKey(InetSocketAddress address, String name) {}

    ClientConnections(ControlContext context) {
        this.context = context;
    }

    /** Opens a session on an existing connection or a new one; the result completes the future. */
    void open(InetSocketAddress address, int engine, Duration timeout, CompletableFuture<ClientControl> opened) {
        try {
            ClientControl.open(context, engine, connection(address, timeout), timeout, opened);
        } catch (IOException | RuntimeException e) {
            opened.completeExceptionally(e);
        }
    }

    private ClientConnection connection(InetSocketAddress address, Duration timeout) throws IOException {
        ServerKey server = new ServerKey(address, address.getHostString());
        ClientConnection known = connections.get(server);
        return known != null ? known : connect(server, address, timeout);
    }

    private ClientConnection connect(ServerKey server, InetSocketAddress address, Duration timeout) throws IOException {
        ClientConnection[] self = new ClientConnection[1];
        Runnable retire = () -> connections.remove(server, self[0]);
        ClientConnection fresh = new ClientConnection(context, address, retire, () -> {
            retire.run();
            all.remove(self[0]);
        });
        self[0] = fresh;
        SocketWire wire = SocketWire.connect(
                context.loop,
                address,
                fresh,
                TlsEngines.client(context.config.control().security(), address),
                context.firstParts().blocking());
        fresh.start(wire, timeout);
        connections.put(server, fresh);
        all.add(fresh);
        return fresh;
    }

    void endAll(String reason) {
        List.copyOf(all).forEach(connection -> connection.end(reason));
    }
}
