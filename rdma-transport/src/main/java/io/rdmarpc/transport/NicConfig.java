package io.rdmarpc.transport;

import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.connect.PortGids;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.util.Map;

/**
 * Selects a NIC and its settings.
 *
 * @param provider {@code auto}, {@code ibverbs} or {@code soft}; auto selects the first active RDMA port, otherwise
 *     soft
 * @param device a device's name, or {@code auto}
 * @param port the device's port number, from 1
 * @param gidIndex index into the port's GID table, or {@value #AUTO_GID} to choose by type: RoCE v2 with IPv4 first
 * @param mtuBytes path MTU: 256, 512, 1024, 2048 or 4096, or {@value #AUTO_MTU} for the port's active MTU
 * @param options provider options by name, such as {@code soft.port}
 */
public record NicConfig(
        String provider, String device, int port, int gidIndex, int mtuBytes, Map<String, String> options) {

    /** Value of the provider or device that selects it automatically. */
    public static final String AUTO = "auto";

    /** Value of the GID index that chooses the GID by type. */
    public static final int AUTO_GID = PortGids.BY_TYPE;

    /** Value of the MTU that uses the port's active MTU. */
    public static final int AUTO_MTU = 0;

    /** Default: number of the device's port. */
    public static final int DEFAULT_PORT = 1;

    /** Selects everything automatically. */
    public static final NicConfig DEFAULTS = new NicConfig(AUTO, AUTO, DEFAULT_PORT, AUTO_GID, AUTO_MTU, Map.of());

    /**
     * Validates the MTU and the port, and copies the options.
     *
     * @param provider the provider
     * @param device the device
     * @param port the port number
     * @param gidIndex the GID index
     * @param mtuBytes the path MTU
     * @param options provider options
     */
    public NicConfig {
        options = Map.copyOf(options);
        if (mtuBytes != AUTO_MTU && !isPathMtu(mtuBytes)) {
            throw new RdmaConfigurationException(
                    "device.mtu",
                    mtuBytes,
                    "a path MTU is a power of two from 256 to 4096 bytes",
                    "Use 256, 512, 1024, 2048 or 4096, or leave it out to use the port's active MTU");
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
     * Returns a copy with another provider and its options.
     *
     * @param newProvider the provider
     * @param newOptions its options
     * @return the changed copy
     */
    public NicConfig withProvider(String newProvider, Map<String, String> newOptions) {
        return new NicConfig(newProvider, device, port, gidIndex, mtuBytes, newOptions);
    }
}
