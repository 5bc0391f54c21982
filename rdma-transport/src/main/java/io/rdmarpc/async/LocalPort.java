package io.rdmarpc.async;

import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.PortAttributes;
import io.rdmarpc.verbs.connect.PortGids;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The port of a node: its GIDs, limits and path MTU. */
final class LocalPort {

    /**
     * Size of the IP and UDP headers, of all transport headers that may occur together, and of the ICRC. The Linux rxe
     * driver reserves the same number of bytes.
     */
    private static final int ROCE_HEADER_BYTES = 80;

    private final int number;
    private final int gidIndex;
    private final PortAttributes attributes;
    private final PortGids gids;

    LocalPort(RdmaContext context, RdmaNodeConfig config) {
        this.number = config.device().port();
        this.gidIndex = config.device().gidIndex();
        this.attributes = context.queryPort(number);
        this.gids = PortGids.of(context, number);
    }

    int number() {
        return number;
    }

    long maxMessageBytes() {
        return attributes.maxMessageBytes();
    }

    /** Returns the GID for a local address, so that packets use the same network as the exchange. */
    GidEntry gidFor(@Nullable InetAddress ownAddress) {
        Optional<GidEntry> ofAddress =
                gidIndex == RdmaNodeConfig.AUTO_GID ? gids.ofAddress(ownAddress) : Optional.empty();
        return ofAddress.orElseGet(() -> gids.choose(gidIndex));
    }

    /**
     * Returns the largest path MTU for packets from a GID. The interfaces of a software RNIC may have different MTUs.
     */
    PathMtu mtu(GidEntry from) {
        PathMtu active = attributes.activeMtu();
        try {
            NetworkInterface netdev =
                    from.interfaceIndex() > 0 ? NetworkInterface.getByIndex(from.interfaceIndex()) : null;
            return netdev == null ? active : active.min(PathMtu.fitting(netdev.getMTU() - ROCE_HEADER_BYTES));
        } catch (SocketException e) {
            return active;
        }
    }
}
