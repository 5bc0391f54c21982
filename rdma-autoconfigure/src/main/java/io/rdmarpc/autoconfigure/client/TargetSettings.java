package io.rdmarpc.autoconfigure.client;

import io.rdmarpc.autoconfigure.RdmaConnectionDetails;
import io.rdmarpc.autoconfigure.properties.RdmaClientProperties;
import io.rdmarpc.verbs.error.RdmaConfigurationException;

/**
 * Settings and addresses of targets by name. Addresses of {@link RdmaConnectionDetails} take precedence over
 * configured ones.
 */
public final class TargetSettings {

    static final String DEFAULT_TARGET = "default";

    private final RdmaClientProperties properties;
    private final RdmaConnectionDetails details;

    /**
     * Creates it.
     *
     * @param properties settings of clients
     * @param details addresses that take precedence over the properties
     */
    public TargetSettings(RdmaClientProperties properties, RdmaConnectionDetails details) {
        this.properties = properties;
        this.details = details;
    }

    /**
     * Returns the settings of a target.
     *
     * @param target name of the target
     * @param wanted what the caller needs of the target, for the exception message
     * @return the settings; without any, those of {@code localhost} for the default target
     * @throws RdmaConfigurationException if there is no such target
     */
    public RdmaClientProperties.Target of(String target, String wanted) {
        RdmaClientProperties.Target settings = properties.targets().get(target);
        if (settings != null) {
            return settings;
        }
        if (target.equals(DEFAULT_TARGET) || details.getAddress(target) != null) {
            return RdmaClientProperties.Target.of("localhost");
        }
        throw new RdmaConfigurationException(
                "client.targets." + target + ".address",
                "",
                wanted + " of target '" + target + "' is wanted, but only "
                        + properties.targets().keySet() + " are set",
                "Set it to the host:port of the server");
    }

    /** Returns the address of a target as written. */
    String address(String target, RdmaClientProperties.Target settings) {
        String override = details.getAddress(target);
        return override == null ? TargetAddress.configured(target, settings) : override;
    }

    /** Returns the address of a target for display. A configured address has its port. */
    String describe(String target, RdmaClientProperties.Target settings) {
        String override = details.getAddress(target);
        return override == null ? TargetAddress.text(target, settings) : override;
    }
}
