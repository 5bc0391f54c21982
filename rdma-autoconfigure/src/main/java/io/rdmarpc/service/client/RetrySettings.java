package io.rdmarpc.service.client;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How calls of idempotent methods are made again where {@link io.rdmarpc.annotation.RdmaMethod} does not say.
 *
 * @param attempts how often a call is tried at most, the first time included
 * @param backoff the pause before the second attempt; it doubles before each further one
 * @param attemptTimeout how long one attempt may take, null for all the time that is left
 */
public record RetrySettings(
        int attempts, Duration backoff, @Nullable Duration attemptTimeout) {

    /** Default: attempts, the first one included. */
    public static final int DEFAULT_ATTEMPTS = 3;

    /** Default: pause before the second attempt, in milliseconds. */
    public static final int DEFAULT_BACKOFF_MILLIS = 20;

    /** Three attempts, 20 ms before the second one, none bounded by itself. */
    public static final RetrySettings DEFAULTS =
            new RetrySettings(DEFAULT_ATTEMPTS, Duration.ofMillis(DEFAULT_BACKOFF_MILLIS), null);
}
