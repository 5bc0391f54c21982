package io.rdmarpc.verbs.soft.port;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;

/** The current addresses of a host. */
@FunctionalInterface
public interface HostAddresses {

    /** The addresses of this host. */
    HostAddresses OF_THIS_HOST = HostAddresses::ofThisHost;

    /**
     * Reads all interfaces.
     *
     * @return the addresses; the value is whether the interface of the address is up
     */
    Map<InetAddress, Boolean> read() throws SocketException;

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
            return false; // The interface disappeared after it was listed.
        }
    }
}
