package io.rdmarpc.autoconfigure.client;

import io.rdmarpc.autoconfigure.RdmaConnectionDetails;
import io.rdmarpc.autoconfigure.properties.RdmaClientProperties;
import io.rdmarpc.verbs.error.RdmaConfigurationException;

/** What is known of targets by name: from the settings, and from a bean that wins over them. */
public final class TargetSettings {

    static final String DEFAULT_TARGET = "default";

    private final RdmaClientProperties properties;
    private final RdmaConnectionDetails details;

    /**
     * Creates it.
     *
     * @param properties of clients
     * @param details addresses that win over the properties
     */
    public TargetSettings(RdmaClientProperties properties, RdmaConnectionDetails details) {
        this.properties = properties;
        this.details = details;
    }

    /**
     * Finds the settings of a target.
     *
     * @param target name of the target
     * @param wanted what of it, for the message
     * @return what is set, or what is usual for the default target
     * @throws RdmaConfigurationException when there is no such target
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

    /** Where it is, as it stands there. */
    String address(String target, RdmaClientProperties.Target settings) {
        String told = details.getAddress(target);
        return told == null ? TargetAddress.given(target, settings) : told;
    }

    /** The same for people: what the settings say has its ports. */
    String describe(String target, RdmaClientProperties.Target settings) {
        String told = details.getAddress(target);
        return told == null ? TargetAddress.text(target, settings) : told;
    }
}
