package io.rdmarpc.verbs.connect;

import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.GidType;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.net.InetAddress;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The GIDs of one port, and which of them to use. By type: RoCE v2 with an IPv4 address first, because it is routable
 * and what every RoCE fabric is set up for, then RoCE v2 with a global IPv6 address, then with a link-local one, then
 * InfiniBand, then RoCE v1. Among equals the lowest index.
 *
 * @param device the device's name
 * @param portNumber the port, from 1
 * @param entries the used entries of its GID table
 */
public record PortGids(String device, int portNumber, List<GidEntry> entries) {

    /** Instead of an index: choose by type. */
    public static final int BY_TYPE = -1;

    /**
     * Copies the entries.
     *
     * @param device the device's name
     * @param portNumber the port, from 1
     * @param entries the used entries of its GID table
     */
    public PortGids {
        entries = List.copyOf(entries);
    }

    /**
     * Reads the GID table of a port.
     *
     * @param context an open device
     * @param portNumber from 1
     * @return its GIDs now
     */
    public static PortGids of(RdmaContext context, int portNumber) {
        return new PortGids(context.deviceName(), portNumber, context.gidTable(portNumber));
    }

    /**
     * Chooses a GID.
     *
     * @param index its index in the table, or {@link #BY_TYPE}
     * @return the entry
     * @throws RdmaConfigurationException when there is none; names those there are
     */
    public GidEntry choose(int index) {
        return index == BY_TYPE ? best() : at(index);
    }

    private GidEntry at(int index) {
        return entries.stream()
                .filter(entry -> entry.index() == index)
                .findFirst()
                .orElseThrow(() -> new RdmaConfigurationException(
                        "device.gid-index",
                        index,
                        "port " + portNumber + " of " + device + " has no GID there; it has " + entries,
                        "Use one of these indexes, or leave it out to choose by type"));
    }

    private GidEntry best() {
        return entries.stream()
                .min(Comparator.comparingInt(PortGids::rank).thenComparingInt(GidEntry::index))
                .orElseThrow(() -> new RdmaConfigurationException(
                        "device.name",
                        device,
                        "port " + portNumber + " has no GID",
                        "Give its network interface an IP address"));
    }

    private static int rank(GidEntry entry) {
        return switch (entry.type()) {
            case ROCE_V2 -> entry.gid().isIpv4Mapped() ? 0 : entry.gid().isLinkLocal() ? 2 : 1;
            case IB -> 3;
            case ROCE_V1 -> 4;
        };
    }

    /**
     * Finds the RoCE v2 GID of an own IP address.
     *
     * @param address an own address, or null
     * @return its entry, if there is one
     */
    public Optional<GidEntry> ofAddress(@Nullable InetAddress address) {
        return entries.stream()
                .filter(entry -> entry.type() == GidType.ROCE_V2 && entry.gid().matches(address))
                .findFirst();
    }
}
