package io.rdmarpc.remote.lease;

import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.time.Duration;

/** Checks limits. It is a separate class because {@link LendingLimits} uses it while its constants are initialized. */
final class LimitChecks {

    private static final Duration MAX = Duration.ofDays(3650);

    private LimitChecks() {}

    static boolean isBetween(Duration value, Duration min) {
        return value.compareTo(min) >= 0 && value.compareTo(MAX) <= 0;
    }

    static void checkSetting(String setting, Object value, boolean fits) {
        if (!fits) {
            throw new RdmaConfigurationException(
                    "remote-memory.lending." + setting,
                    value,
                    "sizes must be at least 0, durations 1 ms (grace-period: 0) to 10 years",
                    "Use a value in that range");
        }
    }
}
