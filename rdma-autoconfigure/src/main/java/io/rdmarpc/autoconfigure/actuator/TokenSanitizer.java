package io.rdmarpc.autoconfigure.actuator;

import java.util.Locale;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;

/** Hides the shared token in endpoints that show settings, in any notation of its name. */
final class TokenSanitizer implements SanitizingFunction {

    private static final String TOKEN = "rdmasecuritytoken";

    @Override
    public SanitizableData apply(SanitizableData data) {
        return isToken(data.getKey()) ? data.withSanitizedValue() : data;
    }

    /** Matches the token in notations such as rdma.security.token and RDMA_SECURITY_TOKEN. */
    private static boolean isToken(String key) {
        return key.replaceAll("[^A-Za-z]", "").toLowerCase(Locale.ROOT).endsWith(TOKEN);
    }
}
