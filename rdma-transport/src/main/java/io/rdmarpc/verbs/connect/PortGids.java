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
 * The GIDs of one port, and the selection of one GID. Selection by type prefers RoCE v2 with an IPv4 address: it is
 * routable, and every RoCE fabric supports it. The next choices are RoCE v2 with a global IPv6 address, RoCE v2 with a
 * link-local address, InfiniBand, and RoCE v1. Among equal types, the entry with the lowest index is selected.
 *
 * @param device the device's name
 * @param portNumber the port, from 1
 * @param entries the used entries of the port's GID table
 */
public record PortGids(String device, int portNumber, List<GidEntry> entries) {

    /** Selects a GID by type instead of by index. */
    public static final int BY_TYPE = -1;

    /**
     * Copies the entries.
     *
     * @param device the device's name
     * @param portNumber the port, from 1
     * @param entries the used entries of the port's GID table
     */
    public PortGids {
        entries = List.copyOf(entries);
    }

    /**
     * Reads the GID table of a port.
     *
     * @param context an open device
     * @param portNumber from 1
     * @return the current GIDs
     */
    public static PortGids of(RdmaContext context, int portNumber) {
        return new PortGids(context.deviceName(), portNumber, context.gidTable(portNumber));
    }

    /**
     * Returns the GID to use.
     *
     * @param index its index in the table, or {@link #BY_TYPE}
     * @return the entry
     * @throws RdmaConfigurationException if there is no such GID; the message lists the available ones
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
                        "port " + portNumber + " of " + device + " has no GID at this index; it has " + entries,
                        "Use one of these indexes, or remove the setting to select a GID by type"));
    }

    private GidEntry best() {
        return entries.stream()
                .min(Comparator.comparingInt(PortGids::rank).thenComparingInt(GidEntry::index))
                .orElseThrow(() -> new RdmaConfigurationException(
                        "device.name",
                        device,
                        "port " + portNumber + " has no GID",
                        "Assign an IP address to its network interface"));
    }

    private static int rank(GidEntry entry) {
        return switch (entry.type()) {
            case ROCE_V2 -> entry.gid().isIpv4Mapped() ? 0 : entry.gid().isLinkLocal() ? 2 : 1;
            case IB -> 3;
            case ROCE_V1 -> 4;
        };
    }

    /**
     * Returns the RoCE v2 GID of a local IP address.
     *
     * @param address a local address, or null
     * @return the entry, or empty if the port has no such GID
     */
    public Optional<GidEntry> ofAddress(@Nullable InetAddress address) {
        return entries.stream()
                .filter(entry -> entry.type() == GidType.ROCE_V2 && entry.gid().matches(address))
                .findFirst();
    }
}
