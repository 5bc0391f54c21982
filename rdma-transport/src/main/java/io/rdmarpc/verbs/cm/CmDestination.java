package io.rdmarpc.verbs.cm;

import java.net.InetSocketAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where a way is to be found to.
 *
 * @param remote the peer's address, resolved
 * @param local the own address, which also chooses the device; null leaves both to the routing table
 * @param trafficClass the IP traffic class (DSCP and ECN) of the connection's packets in both directions, or -1 for the
 *     port's default
 */
public record CmDestination(
        InetSocketAddress remote, @Nullable InetSocketAddress local, int trafficClass) {

    /** The port's default. */
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
                    "trafficClass = " + trafficClass + ": it has 8 bits, -1 for the default");
        }
    }

    private static void requireResolved(InetSocketAddress address) {
        if (Objects.requireNonNull(address).isUnresolved()) {
            throw new IllegalArgumentException(address + " has no IP address: is the name known?");
        }
    }

    /**
     * Names a peer only.
     *
     * @param remote its address
     * @return the destination, by the routing table and with the default traffic class
     */
    public static CmDestination to(InetSocketAddress remote) {
        return new CmDestination(remote, null, DEFAULT_TRAFFIC_CLASS);
    }

    /**
     * Chooses the own address, and with it the device.
     *
     * @param address the own address; port 0 stands for a free one
     * @return a changed copy
     */
    public CmDestination from(InetSocketAddress address) {
        return new CmDestination(remote, address, trafficClass);
    }

    /**
     * Chooses the traffic class.
     *
     * @param value 0 to 255
     * @return a changed copy
     */
    public CmDestination withTrafficClass(int value) {
        return new CmDestination(remote, local, value);
    }
}
