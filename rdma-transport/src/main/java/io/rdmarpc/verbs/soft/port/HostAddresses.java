package io.rdmarpc.verbs.soft.port;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;

/** The addresses that a host has now. */
@FunctionalInterface
public interface HostAddresses {

    /** Those of this host. */
    HostAddresses OF_THIS_HOST = HostAddresses::ofThisHost;

    /**
     * Looks at all interfaces.
     *
     * @return the addresses, and of each whether its interface is up and can carry packets
     */
    Map<InetAddress, Boolean> look() throws SocketException;

    private static Map<InetAddress, Boolean> ofThisHost() throws SocketException {
        Map<InetAddress, Boolean> addresses = new HashMap<>();
        for (NetworkInterface netdev : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            boolean isUp = isUp(netdev);
            netdev.inetAddresses().forEach(address -> addresses.put(address, isUp));
        }
        return addresses;
    }

    private static boolean isUp(NetworkInterface netdev) {
        try {
            return netdev.isUp();
        } catch (SocketException e) {
            return false; // It vanished after it was listed.
        }
    }
}
