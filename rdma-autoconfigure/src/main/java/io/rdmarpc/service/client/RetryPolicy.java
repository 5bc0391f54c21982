package io.rdmarpc.service.client;

import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.service.contract.MethodSettings;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * When a call of an idempotent method is made again: the server was away or had too much to do, or an attempt took too long,
 * and there are attempts and time left. Pauses double and vary by a half, so that clients do not come back all at once.
 */
record RetryPolicy(int attempts, long backoffNanos, long attemptNanos) {

    static final RetryPolicy ONCE = new RetryPolicy(1, 0, Long.MAX_VALUE);

    private static final int MOST_DOUBLINGS = 10;

    static RetryPolicy of(MethodSettings method, RetrySettings otherwise) {
        int attempts = method.attempts() == MethodSettings.NOT_SAID ? otherwise.attempts() : method.attempts();
        if (attempts == 1) {
            return ONCE;
        }
        Duration backoff = Objects.requireNonNullElse(method.backoff(), otherwise.backoff());
        Duration attempt = method.attemptTimeout() == null ? otherwise.attemptTimeout() : method.attemptTimeout();
        return new RetryPolicy(attempts, backoff.toNanos(), attempt == null ? Long.MAX_VALUE : attempt.toNanos());
    }

    /**
     * Decides after a failed attempt.
     *
     * @param attempt which one has failed, from 1
     * @param failure how
     * @param remainingNanos what the call has left
     * @return the pause before the next one, null when there is none
     */
    @Nullable
    Duration pauseAfter(int attempt, RdmaRpcException failure, long remainingNanos) {
        if (attempt >= attempts || !failure.status().isRetryable()) {
            return null;
        }
        long pause =
                Math.max(failure.retryAfter().toNanos(), varied(backoffNanos << Math.min(attempt - 1, MOST_DOUBLINGS)));
        return pause < remainingNanos ? Duration.ofNanos(pause) : null;
    }

    private static long varied(long nanos) {
        return nanos / 2 + ThreadLocalRandom.current().nextLong(nanos + 1);
    }

    /** How long the next attempt may take. */
    long limit(long remainingNanos) {
        return Math.min(attemptNanos, remainingNanos);
    }
}
