package io.rdmarpc.service.client;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How calls of idempotent methods are retried if {@link io.rdmarpc.annotation.RdmaMethod} does not configure it.
 *
 * @param attempts maximum number of attempts, the first one included
 * @param backoff pause before the second attempt, which doubles before each further attempt
 * @param attemptTimeout timeout of one attempt, or null for the remaining time of the call
 */
public record RetrySettings(
        int attempts, Duration backoff, @Nullable Duration attemptTimeout) {

    /** Default number of attempts, the first one included. */
    public static final int DEFAULT_ATTEMPTS = 3;

    /** Default pause before the second attempt, in milliseconds. */
    public static final int DEFAULT_BACKOFF_MILLIS = 20;

    /** Three attempts, 20 ms before the second one, no timeout of single attempts. */
    public static final RetrySettings DEFAULTS =
            new RetrySettings(DEFAULT_ATTEMPTS, Duration.ofMillis(DEFAULT_BACKOFF_MILLIS), null);
}
