package io.rdmarpc.remote.lease;

import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.time.Duration;

/** Checks limits. A class of its own, which no default value is made in. */
final class LimitChecks {

    private static final Duration MOST = Duration.ofDays(3650);

    private LimitChecks() {}

    static boolean isBetween(Duration value, Duration least) {
        return value.compareTo(least) >= 0 && value.compareTo(MOST) <= 0;
    }

    static void checkSetting(String setting, Object value, boolean fits) {
        if (!fits) {
            throw new RdmaConfigurationException(
                    "remote-memory.lending." + setting,
                    value,
                    "sizes are 0 or more, times 1 ms (grace-period: 0) to 10 years",
                    "Use a value in that range");
        }
    }
}
