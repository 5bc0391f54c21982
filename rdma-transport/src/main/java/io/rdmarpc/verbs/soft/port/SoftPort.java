package io.rdmarpc.verbs.soft.port;

import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.attributes.GidEntry;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The only port: active while the interface of any local address is up. An address that the host has lost is not in the
 * GID table. If the host gets the address back, it has the same index. Any thread.
 */
public final class SoftPort {

    private static final InetAddress LOOPBACK = Inet4Address.ofLiteral("127.0.0.1");

    private final LocalGidTable gids;
    private final HostAddresses host;
    private @Nullable State last;

    /**
     * The state of the port.
     *
     * @param isActive whether the port carries packets
     * @param gids the current addresses
     */
    public record State(boolean isActive, List<GidEntry> gids) {}

    public SoftPort(LocalGidTable gids, HostAddresses host) {
        this.gids = gids;
        this.host = host;
    }

    /** Reads the host's interfaces; if that fails, returns an active port with all addresses. */
    public State state() {
        try {
            return state(host.read());
        } catch (SocketException e) {
            return new State(true, gids.entries());
        }
    }

    private State state(Map<InetAddress, Boolean> addresses) {
        List<GidEntry> present = new ArrayList<>();
        boolean isActive = false;
        for (int i = 0; i < gids.size(); i++) {
            Boolean isUp = isUp(addresses, gids.get(i).address());
            if (isUp != null) {
                present.add(gids.get(i).entry());
                isActive |= isUp;
            }
        }
        return new State(isActive, List.copyOf(present));
    }

    /** All of 127.0.0.0/8 is local, but usually only one address is listed. */
    private static @Nullable Boolean isUp(Map<InetAddress, Boolean> addresses, InetAddress address) {
        Boolean isUp = addresses.get(address);
        boolean isUnlisted = isUp == null && address instanceof Inet4Address && address.isLoopbackAddress();
        return isUnlisted ? addresses.get(LOOPBACK) : isUp;
    }

    /**
     * Returns the events since the last call (InfiniBand Architecture Specification vol. 1, 11.6.3.4); none at the
     * first call.
     */
    public synchronized List<AsyncEventType> pollEvents() {
        State now = state();
        State before = last == null ? now : last;
        last = now;
        List<AsyncEventType> events = new ArrayList<>();
        if (!now.gids().equals(before.gids())) {
            events.add(AsyncEventType.GID_CHANGE);
        }
        if (now.isActive() != before.isActive()) {
            events.add(now.isActive() ? AsyncEventType.PORT_ACTIVE : AsyncEventType.PORT_ERR);
        }
        return events;
    }
}
