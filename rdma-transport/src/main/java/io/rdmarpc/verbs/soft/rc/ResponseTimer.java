package io.rdmarpc.verbs.soft.rc;

import io.rdmarpc.verbs.soft.wire.Psn;

/**
 * Computes how long a requester waits for a response. Two timers run since the last progress. The first is the timeout
 * of the queue pair, of which only a limited number in a row is allowed (InfiniBand Architecture Specification vol. 1,
 * 9.7.6.1.3). The second is a retransmission timeout of a few round trips, called the patience here, and doubled after
 * each retransmission. When it expires, the requester retransmits without counting a retry. So a lost packet costs
 * microseconds instead of a timeout that has to cover a garbage collection.
 *
 * <p>The patience adapts to the peer. It is computed from the response time and its variation, as in TCP (RFC 6298).
 * The response to a retransmitted request is ambiguous, so a measurement longer than the patience counts only if a
 * second response arrives. Then the first response belonged to the first transmission, and the retransmission was
 * spurious (compare RFC 3522). Because networks duplicate packets too, several such cases in a row without any sign of
 * loss are required. So a slow peer gets only a few spurious retransmissions.
 */
final class ResponseTimer {

    private static final long TIMEOUT_UNIT_NANOS = 4096;

    // Shorter timeouts are useless in software, because on a busy host a peer process may be descheduled for that long.
    // The patience repairs losses earlier.
    private static final long SHORTEST_TIMEOUT_NANOS = 100_000_000;

    // No timeout: 146 years, which can be added to the current time without overflow.
    private static final long INFINITE_NANOS = Long.MAX_VALUE / 2;

    private static final long SHORTEST_PATIENCE_NANOS = 200_000;

    // Before the first measurement the patience is derived from the configured timeout.
    private static final long LONGEST_FIRST_PATIENCE_NANOS = 100_000_000;
    private static final int FIRST_TRIES = 64;

    private static final int PATIENCE_ROUND_TRIPS = 2;
    private static final int DEVIATIONS = 4;
    private static final int SMOOTHING = 8;
    private static final int DEVIATION_SMOOTHING = 4;

    private static final int CONVINCING = 3;

    // The timeout divided by this number is the maximum patience before doubling, so that losses do not cost a retry.
    private static final int TRIES = 4;

    private long timeoutNanos;
    private int retryLimit;
    private int retries;
    private long progressAt;
    private long sentAt;
    private long usualPatienceNanos;
    private long patienceNanos;
    private long roundTripNanos;
    private long deviationNanos;
    private boolean retransmitting;
    private boolean measuring;
    private boolean retransmitted;
    private boolean maybeSpurious;
    private int spurious;
    private long unsureNanos;
    private int measuredPsn;
    private long measuredSince;

    /** Applies TIMEOUT (4.096 µs x 2^exponent, 0 is infinite) and RETRY_CNT. */
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

    /** Starts both timers, for the first outstanding request and after each progress. */
    void begin(long now) {
        retransmitting = false;
        progressAt = now;
        sentAt = now;
        patienceNanos = usualPatienceNanos;
    }

    /**
     * Restarts the patience with each packet, because sending a burst may take longer than the response to its first
     * packet.
     */
    void onSend(long now) {
        sentAt = now;
    }

    /** Measures the time to the first packet of a response, one measurement at a time. */
    void onAckRequest(int psn, long now) {
        if (!measuring) {
            measuring = true;
            retransmitted = false;
            measuredPsn = psn;
            measuredSince = now;
        }
    }

    /**
     * Restarts both timers for a retransmission, so that a delay of this thread does not count as response time of the
     * peer.
     */
    void beginTry(long now) {
        begin(now);
        retransmitting = true;
    }

    /** Marks the measurement as ambiguous, because the request was sent twice. */
    void onRetransmission(long now) {
        retransmitted = true;
        sentAt = now;
        if (retransmitting) {
            retransmitting = false;
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
        if (maybeSpurious) {
            spurious = 0;
        }
        maybeSpurious = retransmitted;
        unsureNanos = nanos;
        if (!retransmitted || nanos < usualPatienceNanos) {
            learn(nanos);
        }
    }

    /** Handles a duplicate response. */
    void onDuplicateResponse() {
        if (maybeSpurious) {
            maybeSpurious = false;
            if (++spurious >= CONVINCING) {
                learn(unsureNanos);
            }
        }
    }

    /** Handles a loss, which justifies the retransmission. */
    void onLoss() {
        maybeSpurious = false;
        spurious = 0;
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

    /** Counts a retry; false if no more are allowed. */
    boolean countRetry() {
        return retries++ < retryLimit;
    }

    boolean isTimedOut(long now) {
        return now - progressAt >= timeoutNanos;
    }

    boolean isImpatient(long now) {
        return now - sentAt >= patienceNanos;
    }

    /** Doubles the patience after a retransmission. */
    void doublePatience(long now) {
        sentAt = now;
        patienceNanos = Math.min(timeoutNanos, patienceNanos * 2);
    }

    /** Returns the time of the next check. */
    long deadlineNanos() {
        long timeout = progressAt + timeoutNanos;
        long impatience = sentAt + patienceNanos;
        return impatience - timeout < 0 ? impatience : timeout;
    }

    void reset() {
        retries = 0;
        measuring = false;
        maybeSpurious = false;
        spurious = 0;
    }
}
