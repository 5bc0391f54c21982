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

    /** Three attempts, 20 ms before the second one, none bounded by itself. */
    public static final RetrySettings DEFAULTS = new RetrySettings(3, Duration.ofMillis(20), null);
}
