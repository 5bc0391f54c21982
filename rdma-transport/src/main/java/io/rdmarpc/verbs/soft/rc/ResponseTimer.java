package io.rdmarpc.verbs.soft.rc;

import io.rdmarpc.verbs.soft.wire.Psn;

/**
 * How long a requester waits. Two clocks run since the last progress: the time-out that the queue pair was given, of which only
 * a number in a row is allowed (InfiniBand Architecture Specification vol. 1, 9.7.6.1.3), and a short patience of a few round
 * trips, doubled each time, after which it sends again without counting: a lost packet then costs microseconds, not a
 * time-out that must be long enough for a garbage collector.
 *
 * <p>The patience follows the peer. It is made of the measured time to an answer and how much that varies, as TCP does
 * (RFC 6298). The answer to a question that was asked twice measures nothing, unless a second answer comes too: then the first
 * one was to the first question, and asking again was needless (as RFC 3522 finds out). Networks repeat packets too, so it
 * takes several such times in a row without any sign of a loss. A peer that is slow from the beginning is asked too often a few times only.
 */
final class ResponseTimer {

    private static final long TIMEOUT_UNIT_NANOS = 4096;

    // Shorter ones make no sense in software: on a busy host a peer may not run for that long. Losses do not wait for
    // it.
    private static final long SHORTEST_TIMEOUT_NANOS = 100_000_000;

    // As good as never (146 years), and sums with the present time do not overflow for long.
    private static final long INFINITE_NANOS = Long.MAX_VALUE / 2;

    private static final long SHORTEST_PATIENCE_NANOS = 200_000;

    // Nothing is known of the peer yet but what time-out it was thought to need.
    private static final long LONGEST_FIRST_PATIENCE_NANOS = 100_000_000;
    private static final int FIRST_TRIES = 64;

    private static final int PATIENCE_ROUND_TRIPS = 2;
    private static final int DEVIATIONS = 4;
    private static final int SMOOTHING = 8;
    private static final int DEVIATION_SMOOTHING = 4;

    private static final int CONVINCING = 3;

    // Whatever is measured: a few tries fit into each time-out, so that a bad network needs no retry.
    private static final int TRIES = 4;

    private long timeoutNanos;
    private int retryLimit;
    private int retries;
    private long progressAt;
    private long askedAt;
    private long usualPatienceNanos;
    private long patienceNanos;
    private long roundTripNanos;
    private long deviationNanos;
    private boolean tries;
    private boolean measuring;
    private boolean askedAgain;
    private boolean mayHaveBeenNeedless;
    private int needless;
    private long unsureNanos;
    private int measuredPsn;
    private long measuredSince;

    /** Takes TIMEOUT (4.096 us x 2^exponent, 0 is infinite) and RETRY_CNT. */
    void configure(int timeoutExponent, int retryCount) {
        timeoutNanos = timeoutExponent == 0
                ? INFINITE_NANOS
                : Math.max(SHORTEST_TIMEOUT_NANOS, TIMEOUT_UNIT_NANOS << timeoutExponent);
        usualPatienceNanos = Math.min(LONGEST_FIRST_PATIENCE_NANOS, timeoutNanos / FIRST_TRIES);
        roundTripNanos = 0;
        patienceNanos = usualPatienceNanos;
        retryLimit = retryCount;
        retries = 0;
    }

    /** Starts to wait after nothing was awaited. */
    void begin(long now) {
        tries = false;
        progressAt = now;
        askedAt = now;
        patienceNanos = usualPatienceNanos;
    }

    /** Waits from the last packet on: a burst may take longer to send than its first packet takes to be answered. */
    void onSend(long now) {
        askedAt = now;
    }

    /** Measures the time to the first packet of an answer, one at a time. */
    void onAsk(int psn, long now) {
        if (!measuring) {
            measuring = true;
            askedAgain = false;
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
        askedAgain = true;
        askedAt = now;
        if (tries) {
            tries = false;
            progressAt = now;
        }
    }

    void onProgress(int psn, long now) {
        if (measuring && !Psn.isBefore(psn, measuredPsn)) {
            onMeasured(now - measuredSince);
        }
        retries = 0;
        begin(now);
    }

    private void onMeasured(long nanos) {
        measuring = false;
        if (mayHaveBeenNeedless) {
            needless = 0;
        }
        mayHaveBeenNeedless = askedAgain;
        unsureNanos = nanos;
        if (!askedAgain || nanos < usualPatienceNanos) {
            learn(nanos);
        }
    }

    /** An answer came that had come before. */
    void onNeedlessAnswer() {
        if (mayHaveBeenNeedless) {
            mayHaveBeenNeedless = false;
            if (++needless >= CONVINCING) {
                learn(unsureNanos);
            }
        }
    }

    /** Something was lost: asking again was right. */
    void onLoss() {
        mayHaveBeenNeedless = false;
        needless = 0;
    }

    private void learn(long nanos) {
        long difference = nanos - roundTripNanos;
        if (roundTripNanos == 0) {
            roundTripNanos = nanos;
            deviationNanos = nanos / 2;
        } else {
            roundTripNanos += difference / SMOOTHING;
            deviationNanos += (Math.abs(difference) - deviationNanos) / DEVIATION_SMOOTHING;
        }
        long measured = Math.max(PATIENCE_ROUND_TRIPS * roundTripNanos, roundTripNanos + DEVIATIONS * deviationNanos);
        usualPatienceNanos = Math.min(timeoutNanos / TRIES, Math.max(SHORTEST_PATIENCE_NANOS, measured));
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
        mayHaveBeenNeedless = false;
        needless = 0;
    }
}
