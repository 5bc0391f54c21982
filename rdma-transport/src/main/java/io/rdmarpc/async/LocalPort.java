package io.rdmarpc.async;

import io.rdmarpc.verbs.GidEntry;
import io.rdmarpc.verbs.GidType;
import io.rdmarpc.verbs.PathMtu;
import io.rdmarpc.verbs.PortAttributes;
import io.rdmarpc.verbs.RdmaConfigurationException;
import io.rdmarpc.verbs.RdmaContext;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The port of a node: its GIDs, and what paths from it can carry. */
final class LocalPort {

    // IPv4 and UDP headers, all transport headers that may come together, ICRC: what rxe reserves too
    // (RXE_MAX_HDR_LENGTH).
    private static final int ROCE_HEADER_BYTES = 80;

    private final String device;
    private final int number;
    private final int gidIndex;
    private final PortAttributes attributes;
    private final List<GidEntry> gids;

    LocalPort(RdmaContext context, RdmaNodeConfig config) {
        this.device = context.deviceName();
        this.number = config.port();
        this.gidIndex = config.gidIndex();
        this.attributes = context.queryPort(number);
        this.gids = context.gidTable(number);
    }

    int number() {
        return number;
    }

    long maxMessageBytes() {
        return attributes.maxMessageBytes();
    }

    /** Returns the GID to use when the own address is this one, so that packets take the same network. */
    GidEntry gidFor(@Nullable InetAddress ownAddress) {
        return gids.stream()
                .filter(entry -> gidIndex == RdmaNodeConfig.AUTO_GID || entry.index() == gidIndex)
                .min(Comparator.comparingInt((GidEntry entry) -> rank(entry, ownAddress))
                        .thenComparingInt(GidEntry::index))
                .orElseThrow(this::noGid);
    }

    /** RoCE v2 with IPv4 first: it is routable and what every RoCE fabric is set up for. */
    private static int rank(GidEntry entry, @Nullable InetAddress ownAddress) {
        if (entry.type() != GidType.ROCE_V2) {
            return 3;
        }
        if (entry.gid().matches(ownAddress)) {
            return 0;
        }
        return entry.gid().isIpv4Mapped() ? 1 : 2;
    }

    private RdmaConfigurationException noGid() {
        return new RdmaConfigurationException(
                "gid-index",
                gidIndex,
                "port " + number + " of " + device + " has no GID there; it has " + gids,
                "Use one of these indexes or leave it out, and give the network interface an IP address");
    }

    /** Returns the largest path MTU from a GID: a software RNIC has several interfaces of different MTU. */
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
