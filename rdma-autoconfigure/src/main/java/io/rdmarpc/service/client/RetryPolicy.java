package io.rdmarpc.service.client;

import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.service.contract.MethodSettings;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a call of an idempotent method is retried: if the server was unreachable or overloaded, or an attempt
 * timed out. Attempts and time must remain. Pauses double and vary by half, so that clients do not retry
 * simultaneously.
 */
record RetryPolicy(int attempts, long backoffNanos, long attemptNanos) {

    static final RetryPolicy ONCE = new RetryPolicy(1, 0, Long.MAX_VALUE);

    private static final int MAX_DOUBLINGS = 10;

    static RetryPolicy of(MethodSettings method, RetrySettings otherwise) {
        int attempts = method.attempts() == MethodSettings.UNSET ? otherwise.attempts() : method.attempts();
        if (attempts == 1) {
            return ONCE;
        }
        Duration backoff = Objects.requireNonNullElse(method.backoff(), otherwise.backoff());
        Duration attempt = method.attemptTimeout() == null ? otherwise.attemptTimeout() : method.attemptTimeout();
        return new RetryPolicy(attempts, backoff.toNanos(), attempt == null ? Long.MAX_VALUE : attempt.toNanos());
    }

    /**
     * Decides what follows a failed attempt.
     *
     * @param attempt number of the failed attempt, from 1
     * @param failure the failure
     * @param remainingNanos remaining time of the call
     * @return the pause before the next attempt, or null if there is none
     */
    @Nullable
    Duration pauseAfter(int attempt, RdmaRpcException failure, long remainingNanos) {
        if (attempt >= attempts || !failure.status().isRetryable()) {
            return null;
        }
        long pause =
                Math.max(failure.retryAfter().toNanos(), varied(backoffNanos << Math.min(attempt - 1, MAX_DOUBLINGS)));
        return pause < remainingNanos ? Duration.ofNanos(pause) : null;
    }

    private static long varied(long nanos) {
        return nanos / 2 + ThreadLocalRandom.current().nextLong(nanos + 1);
    }

    /** Returns how long the next attempt may take. */
    long limit(long remainingNanos) {
        return Math.min(attemptNanos, remainingNanos);
    }
}
