package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.Errno;
import io.rdmarpc.verbs.Gid;
import io.rdmarpc.verbs.GidEntry;
import io.rdmarpc.verbs.GidType;
import io.rdmarpc.verbs.PathMtu;
import io.rdmarpc.verbs.RdmaConfigurationException;
import io.rdmarpc.verbs.VerbsException;
import java.net.Inet4Address;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The own addresses of a software RNIC, each an IPv4-mapped RoCE v2 GID. Does not change while the device is open. */
final class GidTable {

    // IPv4 and UDP headers, all transport headers that may come together, ICRC: what rxe reserves too
    // (RXE_MAX_HDR_LENGTH).
    private static final int ROCE_HEADER_BYTES = 80;

    private final List<LocalGid> gids;

    private GidTable(List<LocalGid> gids) {
        this.gids = List.copyOf(gids);
    }

    /**
     * Makes the table.
     *
     * @param configured addresses in the order wanted; when empty all of the interfaces that are up, loopback last
     */
    static GidTable of(List<Inet4Address> configured) {
        List<Inet4Address> addresses = configured.isEmpty() ? addressesOfThisHost() : configured;
        List<LocalGid> gids = new ArrayList<>();
        for (Inet4Address address : addresses) {
            gids.add(gid(gids.size(), address));
        }
        return new GidTable(gids);
    }

    private static List<Inet4Address> addressesOfThisHost() {
        try {
            List<Inet4Address> addresses = NetworkInterface.networkInterfaces()
                    .filter(GidTable::isUp)
                    .sorted(Comparator.comparing(GidTable::isLoopback).thenComparingInt(NetworkInterface::getIndex))
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(Inet4Address.class::isInstance)
                    .map(Inet4Address.class::cast)
                    .toList();
            if (!addresses.isEmpty()) {
                return addresses;
            }
        } catch (SocketException e) {
            throw new VerbsException(
                    "ibv_open_device", SoftDevice.NAME, Errno.EIO, "The network interfaces cannot be listed: " + e);
        }
        throw new VerbsException(
                "ibv_open_device",
                SoftDevice.NAME,
                Errno.ENODEV,
                "No network interface is up with an IPv4 address. Bring one up; the loopback interface is enough.");
    }

    private static boolean isUp(NetworkInterface netdev) {
        try {
            return netdev.isUp();
        } catch (SocketException e) {
            return false; // It vanished after it was listed.
        }
    }

    private static boolean isLoopback(NetworkInterface netdev) {
        try {
            return netdev.isLoopback();
        } catch (SocketException e) {
            return false;
        }
    }

    private static LocalGid gid(int index, Inet4Address address) {
        try {
            NetworkInterface netdev = NetworkInterface.getByInetAddress(address);
            // All of 127.0.0.0/8 is local, yet only listed addresses are found.
            if (netdev == null && address.isLoopbackAddress()) {
                netdev = NetworkInterface.getByInetAddress(Inet4Address.ofLiteral("127.0.0.1"));
            }
            if (netdev != null) {
                GidEntry entry = new GidEntry(index, Gid.of(address), GidType.ROCE_V2, netdev.getIndex());
                return new LocalGid(entry, address, PathMtu.fitting(netdev.getMTU() - ROCE_HEADER_BYTES));
            }
        } catch (SocketException e) {
            // Reported below.
        }
        throw new RdmaConfigurationException(
                SoftRnicOptions.ADDRESSES,
                address.getHostAddress(),
                "no network interface of this host has it",
                "Use addresses that this host has, or leave it out to take all");
    }

    List<GidEntry> entries() {
        return gids.stream().map(LocalGid::entry).toList();
    }

    List<Inet4Address> addresses() {
        return gids.stream().map(LocalGid::address).toList();
    }

    int size() {
        return gids.size();
    }

    LocalGid get(int index) {
        return gids.get(index);
    }

    PathMtu largestMtu() {
        return gids.stream().map(LocalGid::mtu).max(Comparator.naturalOrder()).orElse(PathMtu.MTU_256);
    }
}
