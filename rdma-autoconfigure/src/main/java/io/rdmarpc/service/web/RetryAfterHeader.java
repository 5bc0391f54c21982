package io.rdmarpc.service.web;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/** The header {@code Retry-After} (RFC 9110, 10.2.3). */
final class RetryAfterHeader {

    private RetryAfterHeader() {}

    /** Rounds up to whole seconds: a client that retries too early is rejected again. */
    static void write(Duration delay, HttpHeaders headers) {
        if (delay.isPositive()) {
            headers.set(
                    HttpHeaders.RETRY_AFTER, String.valueOf(delay.minusNanos(1).toSeconds() + 1));
        }
    }

    /** Returns the delay, zero if the header is absent, invalid or in the past. */
    static Duration read(@Nullable HttpHeaders headers) {
        String value = headers == null ? null : headers.getFirst(HttpHeaders.RETRY_AFTER);
        if (headers == null || value == null) {
            return Duration.ZERO;
        }
        try {
            Duration delay = value.isBlank() || !Character.isDigit(value.charAt(0))
                    ? Duration.between(
                            Instant.now(), Instant.ofEpochMilli(headers.getFirstDate(HttpHeaders.RETRY_AFTER)))
                    : Duration.ofSeconds(Long.parseLong(value.strip()));
            return delay.isNegative() ? Duration.ZERO : delay;
        } catch (IllegalArgumentException e) {
            return Duration.ZERO;
        }
    }
}
