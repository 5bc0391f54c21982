package io.rdmarpc.transport;

import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.connect.PortGids;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.util.Map;

/**
 * Which NIC to use and how.
 *
 * @param provider {@code auto}, {@code ibverbs} or {@code soft}; auto takes the first active RDMA port, else soft
 * @param device a device's name, or {@code auto}
 * @param port the device's port, from 1
 * @param gidIndex index into the port's GID table, {@value #AUTO_GID} to choose: RoCE v2 with IPv4 first
 * @param mtuBytes path MTU: 256, 512, 1024, 2048 or 4096, {@value #AUTO_MTU} for the largest that the port carries
 * @param options provider options by name, such as {@code soft.port}
 */
public record NicConfig(
        String provider, String device, int port, int gidIndex, int mtuBytes, Map<String, String> options) {

    /** Choose the provider or device. */
    public static final String AUTO = "auto";

    /** Choose the GID by type. */
    public static final int AUTO_GID = PortGids.BY_TYPE;

    /** Use the port's active MTU. */
    public static final int AUTO_MTU = 0;

    /** Default: number of the device's port. */
    public static final int DEFAULT_PORT = 1;

    /** Choose everything. */
    public static final NicConfig DEFAULTS = new NicConfig(AUTO, AUTO, DEFAULT_PORT, AUTO_GID, AUTO_MTU, Map.of());

    /**
     * Checks the MTU and copies the options.
     *
     * @param provider which provider
     * @param device which device
     * @param port which port
     * @param gidIndex which GID
     * @param mtuBytes which path MTU
     * @param options provider options
     */
    public NicConfig {
        options = Map.copyOf(options);
        if (mtuBytes != AUTO_MTU && !isPathMtu(mtuBytes)) {
            throw new RdmaConfigurationException(
                    "device.mtu",
                    mtuBytes,
                    "a path MTU is a power of two from 256 to 4096 bytes",
                    "Use 256, 512, 1024, 2048 or 4096, or leave it out to take the port's");
        }
        if (port < 1) {
            throw new RdmaConfigurationException("device.port", port, "ports count from 1", "Use 1 for the first port");
        }
    }

    private static boolean isPathMtu(int bytes) {
        for (PathMtu mtu : PathMtu.values()) {
            if (mtu.bytes() == bytes) {
                return true;
            }
        }
        return false;
    }

    /**
     * Changes the provider and its options.
     *
     * @param newProvider which provider
     * @param newOptions its options
     * @return the changed copy
     */
    public NicConfig withProvider(String newProvider, Map<String, String> newOptions) {
        return new NicConfig(newProvider, device, port, gidIndex, mtuBytes, newOptions);
    }
}
