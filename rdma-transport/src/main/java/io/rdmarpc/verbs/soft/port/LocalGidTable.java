package io.rdmarpc.verbs.soft.port;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.GidType;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The local addresses of a software RNIC, each a RoCE v2 GID: IPv4-mapped or IPv6. Immutable.
 */
public final class LocalGidTable {

    /** The option that names the addresses. */
    public static final String SETTING = "soft.addresses";

    // The IPv4 and UDP headers, all transport headers that can occur together, and the ICRC. The kernel's rxe reserves
    // the same (RXE_MAX_HDR_LENGTH).
    private static final int ROCE_HEADER_BYTES = 80;
    private static final int MORE_FOR_IPV6 = 20;

    private final List<LocalGid> gids;

    private LocalGidTable(List<LocalGid> gids) {
        this.gids = List.copyOf(gids);
    }

    /**
     * Creates the table.
     *
     * @param configured addresses in the order of the table. If empty, all addresses of interfaces that are up: IPv4
     * first, then IPv6 without link-local addresses, of which a host with containers has dozens. In each family the
     * loopback is last.
     */
    public static LocalGidTable of(List<InetAddress> configured) {
        List<InetAddress> addresses = configured.isEmpty() ? addressesOfThisHost() : configured;
        List<LocalGid> gids = new ArrayList<>();
        for (InetAddress address : addresses) {
            gids.add(gid(gids.size(), address));
        }
        return new LocalGidTable(gids);
    }

    private static List<InetAddress> addressesOfThisHost() {
        try {
            List<InetAddress> all = NetworkInterface.networkInterfaces()
                    .filter(LocalGidTable::isUp)
                    .sorted(Comparator.comparing(LocalGidTable::isLoopback)
                            .thenComparingInt(NetworkInterface::getIndex))
                    .flatMap(NetworkInterface::inetAddresses)
                    .toList();
            List<InetAddress> addresses = new ArrayList<>();
            all.stream().filter(Inet4Address.class::isInstance).forEach(addresses::add);
            all.stream().filter(LocalGidTable::isUsableIpv6).forEach(addresses::add);
            if (!addresses.isEmpty()) {
                return addresses;
            }
        } catch (SocketException e) {
            throw new RdmaVerbsException(
                    "ibv_open_device", DeviceConstants.NAME, Errno.EIO, "Cannot list the network interfaces: " + e);
        }
        throw new RdmaVerbsException(
                "ibv_open_device",
                DeviceConstants.NAME,
                Errno.ENODEV,
                "No network interface is up with an IP address. Bring one up; the loopback interface is enough.");
    }

    /** Returns whether an address can be bound: duplicate address detection may be in progress or may have failed. */
    private static boolean isUsableIpv6(InetAddress address) {
        if (!(address instanceof Inet6Address) || address.isLinkLocalAddress()) {
            return false;
        }
        try (DatagramSocket probe = new DatagramSocket(0, address)) {
            return probe.isBound();
        } catch (SocketException e) {
            return false;
        }
    }

    private static boolean isUp(NetworkInterface netdev) {
        try {
            return netdev.isUp();
        } catch (SocketException e) {
            return false; // The interface disappeared after it was listed.
        }
    }

    private static boolean isLoopback(NetworkInterface netdev) {
        try {
            return netdev.isLoopback();
        } catch (SocketException e) {
            return false;
        }
    }

    private static LocalGid gid(int index, InetAddress address) {
        try {
            NetworkInterface netdev = NetworkInterface.getByInetAddress(address);
            // All of 127.0.0.0/8 is local, but only listed addresses are found.
            if (netdev == null && address.isLoopbackAddress()) {
                netdev = NetworkInterface.getByInetAddress(Inet4Address.ofLiteral("127.0.0.1"));
            }
            if (netdev != null) {
                GidEntry entry = new GidEntry(index, Gid.of(address), GidType.ROCE_V2, netdev.getIndex());
                return new LocalGid(entry, address, PathMtu.fitting(netdev.getMTU() - headerBytes(address)));
            }
        } catch (SocketException e) {
            // Reported below.
        }
        throw new RdmaConfigurationException(
                SETTING,
                address.getHostAddress(),
                "no network interface of this host has this address",
                "Use addresses of this host, or leave it out to use all addresses");
    }

    private static int headerBytes(InetAddress address) {
        return address instanceof Inet4Address ? ROCE_HEADER_BYTES : ROCE_HEADER_BYTES + MORE_FOR_IPV6;
    }

    public List<GidEntry> entries() {
        return gids.stream().map(LocalGid::entry).toList();
    }

    public List<InetAddress> addresses() {
        return gids.stream().map(LocalGid::address).toList();
    }

    /** Returns the names of the network interfaces that have the addresses. */
    public Set<String> interfaces() {
        Set<String> names = new TreeSet<>();
        for (LocalGid gid : gids) {
            try {
                NetworkInterface netdev =
                        NetworkInterface.getByIndex(gid.entry().interfaceIndex());
                if (netdev != null) {
                    names.add(netdev.getName());
                }
            } catch (SocketException e) {
                // The interface disappeared after it was listed.
            }
        }
        return names;
    }

    public int size() {
        return gids.size();
    }

    public LocalGid get(int index) {
        return gids.get(index);
    }

    public PathMtu largestMtu() {
        return gids.stream().map(LocalGid::mtu).max(Comparator.naturalOrder()).orElse(PathMtu.MTU_256);
    }
}
