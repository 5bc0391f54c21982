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

/** The control connections to servers: one to each address, whichever channel asks. Control thread only. */
final class ClientConnections {

    private final ControlContext context;
    private final Map<Place, ClientConnection> connections = new HashMap<>();
    /** Also those whose servers are stopping. */
    private final Set<ClientConnection> all = new HashSet<>();

    /** A certificate is for a name: who asks for another one at the same address has it checked again. */
    private record Place(InetSocketAddress address, String name) {}

    ClientConnections(ControlContext context) {
        this.context = context;
    }

    /** Opens a session, on the connection that is there or a new one; the outcome goes into the future. */
    void open(InetSocketAddress address, Duration timeout, CompletableFuture<ClientControl> opened) {
        try {
            ClientControl.open(context, connection(address, timeout), timeout, opened);
        } catch (IOException | RuntimeException e) {
            opened.completeExceptionally(e);
        }
    }

    private ClientConnection connection(InetSocketAddress address, Duration timeout) throws IOException {
        Place place = new Place(address, address.getHostString());
        ClientConnection known = connections.get(place);
        return known != null ? known : connect(place, address, timeout);
    }

    private ClientConnection connect(Place place, InetSocketAddress address, Duration timeout) throws IOException {
        ClientConnection[] self = new ClientConnection[1];
        Runnable retire = () -> connections.remove(place, self[0]);
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
        connections.put(place, fresh);
        all.add(fresh);
        return fresh;
    }

    void endAll(String reason) {
        List.copyOf(all).forEach(connection -> connection.end(reason));
    }
}
