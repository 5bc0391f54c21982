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
 * The one port: active while the interface of any own address is up. An address that the host has lost is not in the GID
 * table; when it comes back it is there again, at the same index. Any thread.
 */
public final class SoftPort {

    private static final InetAddress LOOPBACK = Inet4Address.ofLiteral("127.0.0.1");

    private final LocalGidTable gids;
    private final HostAddresses host;
    private @Nullable State last;

    /**
     * What the port is like.
     *
     * @param isActive whether it carries packets
     * @param gids the addresses there are
     */
    public record State(boolean isActive, List<GidEntry> gids) {}

    public SoftPort(LocalGidTable gids, HostAddresses host) {
        this.gids = gids;
        this.host = host;
    }

    /** Looks at the host's interfaces; what cannot be found out is taken to be well. */
    public State state() {
        try {
            return state(host.look());
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

    /** All of 127.0.0.0/8 is local, yet only one of it is usually listed. */
    private static @Nullable Boolean isUp(Map<InetAddress, Boolean> addresses, InetAddress address) {
        Boolean isUp = addresses.get(address);
        boolean isUnlisted = isUp == null && address instanceof Inet4Address && address.isLoopbackAddress();
        return isUnlisted ? addresses.get(LOOPBACK) : isUp;
    }

    /** Returns what has happened since the last call (InfiniBand Architecture Specification vol. 1, 11.6.3.4); at first nothing. */
    public synchronized List<AsyncEventType> news() {
        State now = state();
        State before = last == null ? now : last;
        last = now;
        List<AsyncEventType> news = new ArrayList<>();
        if (!now.gids().equals(before.gids())) {
            news.add(AsyncEventType.GID_CHANGE);
        }
        if (now.isActive() != before.isActive()) {
            news.add(now.isActive() ? AsyncEventType.PORT_ACTIVE : AsyncEventType.PORT_ERR);
        }
        return news;
    }
}
