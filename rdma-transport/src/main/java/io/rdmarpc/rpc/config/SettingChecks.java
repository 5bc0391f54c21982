package io.rdmarpc.rpc.config;

import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.time.Duration;

/** Checks of settings. The exception of a failed check names the property, its value and the allowed values. */
final class SettingChecks {

    private SettingChecks() {}

    static void positive(Duration value, String setting) {
        require(!value.isNegative() && !value.isZero(), setting, value, "longer than 0");
    }

    static void require(boolean ok, String setting, Object value, String allowed) {
        if (!ok) {
            throw new RdmaConfigurationException(
                    setting, value, "it must be " + allowed, "Change it, or omit it to use the default");
        }
    }
}
