package io.rdmarpc.verbs.cm;

import java.net.InetSocketAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The destination of a route.
 *
 * @param remote the peer's address, resolved
 * @param local the local address, which also selects the device; null leaves both to the routing table
 * @param trafficClass the IP traffic class (DSCP and ECN) of the connection's packets in both directions, or -1 for the
 *     port's default
 */
public record CmDestination(
        InetSocketAddress remote, @Nullable InetSocketAddress local, int trafficClass) {

    /** The port's default traffic class. */
    public static final int DEFAULT_TRAFFIC_CLASS = -1;

    private static final int MAX_BYTE = 255;

    /** Checks the values. */
    public CmDestination {
        requireResolved(remote);
        if (local != null) {
            requireResolved(local);
        }
        if (trafficClass < DEFAULT_TRAFFIC_CLASS || trafficClass > MAX_BYTE) {
            throw new IllegalArgumentException(
                    "trafficClass = " + trafficClass + ": valid values are 0 to 255, or -1 for the default");
        }
    }

    private static void requireResolved(InetSocketAddress address) {
        if (Objects.requireNonNull(address).isUnresolved()) {
            throw new IllegalArgumentException(address + " has no IP address: check the name, or use an IP address");
        }
    }

    /**
     * Creates a destination from the peer's address only.
     *
     * @param remote the peer's address
     * @return the destination, with the routing table's local address and the default traffic class
     */
    public static CmDestination to(InetSocketAddress remote) {
        return new CmDestination(remote, null, DEFAULT_TRAFFIC_CLASS);
    }

    /**
     * Sets the local address, which also selects the device.
     *
     * @param address the local address; port 0 selects a free port
     * @return a changed copy
     */
    public CmDestination from(InetSocketAddress address) {
        return new CmDestination(remote, address, trafficClass);
    }

    /**
     * Sets the traffic class.
     *
     * @param value 0 to 255
     * @return a changed copy
     */
    public CmDestination withTrafficClass(int value) {
        return new CmDestination(remote, local, value);
    }
}
