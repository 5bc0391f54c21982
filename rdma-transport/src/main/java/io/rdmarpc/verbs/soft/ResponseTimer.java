package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.soft.wire.Psn;

/**
 * How long a requester waits. Two clocks run since the last progress: the time-out that the queue pair was given, of which only
 * a number in a row is allowed (InfiniBand Architecture Specification vol. 1, 9.7.6.1.3), and a short patience of a few round
 * trips, doubled each time, after which it sends again without counting: a lost packet then costs microseconds, not a
 * time-out that must be long enough for a garbage collector.
 */
final class ResponseTimer {

    private static final long TIMEOUT_UNIT_NANOS = 4096;

    // Shorter ones make no sense in software: on a busy host a peer may not run for that long. Losses do not wait for
    // it.
    private static final long SHORTEST_TIMEOUT_NANOS = 100_000_000;

    // As good as never (146 years), and sums with the present time do not overflow for long.
    private static final long INFINITE_NANOS = Long.MAX_VALUE / 2;

    private static final long SHORTEST_PATIENCE_NANOS = 200_000;
    private static final long FIRST_ROUND_TRIP_NANOS = 250_000;
    private static final int PATIENCE_ROUND_TRIPS = 4;
    private static final int SMOOTHING = 8;

    private long timeoutNanos;
    private int retryLimit;
    private int retries;
    private long progressAt;
    private long askedAt;
    private long patienceNanos;
    private long roundTripNanos = FIRST_ROUND_TRIP_NANOS;
    private boolean tries;
    private boolean measuring;
    private int measuredPsn;
    private long measuredSince;

    /** Takes TIMEOUT (4.096 us x 2^exponent, 0 is infinite) and RETRY_CNT. */
    void configure(int timeoutExponent, int retryCount) {
        timeoutNanos = timeoutExponent == 0
                ? INFINITE_NANOS
                : Math.max(SHORTEST_TIMEOUT_NANOS, TIMEOUT_UNIT_NANOS << timeoutExponent);
        retryLimit = retryCount;
        retries = 0;
    }

    /** Starts to wait after nothing was awaited. */
    void begin(long now) {
        tries = false;
        progressAt = now;
        askedAt = now;
        patienceNanos = Math.max(SHORTEST_PATIENCE_NANOS, PATIENCE_ROUND_TRIPS * roundTripNanos);
    }

    /** Measures the time to the first packet of an answer, one at a time. */
    void onAsk(int psn, long now) {
        if (!measuring) {
            measuring = true;
            measuredPsn = psn;
            measuredSince = now;
        }
    }

    /** Starts to wait anew for what is sent next: a late owner must not count the time before that as the peer's. */
    void beginTry(long now) {
        begin(now);
        tries = true;
    }

    /** The answer to a question that was asked twice says nothing about the time it takes. */
    void onAskAgain(long now) {
        measuring = false;
        askedAt = now;
        if (tries) {
            tries = false;
            progressAt = now;
        }
    }

    void onProgress(int psn, long now) {
        if (measuring && !Psn.isBefore(psn, measuredPsn)) {
            measuring = false;
            roundTripNanos += (now - measuredSince - roundTripNanos) / SMOOTHING;
        }
        retries = 0;
        begin(now);
    }

    /** Counts a retry; false when no more is allowed. */
    boolean countRetry() {
        return retries++ < retryLimit;
    }

    boolean isTimedOut(long now) {
        return now - progressAt >= timeoutNanos;
    }

    boolean isImpatient(long now) {
        return now - askedAt >= patienceNanos;
    }

    /** Waits for twice as long before asking again without a time-out. */
    void loseHope(long now) {
        askedAt = now;
        patienceNanos = Math.min(timeoutNanos, patienceNanos * 2);
    }

    /** Returns when to look at the clock again. */
    long deadlineNanos() {
        long timeout = progressAt + timeoutNanos;
        long impatience = askedAt + patienceNanos;
        return impatience - timeout < 0 ? impatience : timeout;
    }

    void reset() {
        retries = 0;
        measuring = false;
    }
}
