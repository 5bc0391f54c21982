package io.rdmarpc.transport;

import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.time.Duration;

/**
 * Settings of the connected transport, which carries large messages.
 *
 * @param sendDepth maximum number of READ work requests of one queue pair in flight
 * @param maxReads maximum number of READs of one queue pair that are outstanding at the NIC. The smallest value of both
 *     peers and their devices applies
 * @param ackTimeoutExponent exponent of the acknowledge timeout: 4.096 µs x 2^n, 1 to 31
 * @param retryCount number of retries before a queue pair fails, 0 to 7
 * @param readBudget maximum number of READ work requests in flight of all engines on a NIC; the first engine sets it
 * @param readTimeout how long the READs of a connection may make no progress, 100 ms to one hour. A peer has to serve a
 *     fragment of at most 1 MiB within that time
 */
public record RcConfig(
        int sendDepth, int maxReads, int ackTimeoutExponent, int retryCount, int readBudget, Duration readTimeout) {

    /** Default: maximum number of READ work requests of one queue pair in flight. */
    public static final int DEFAULT_SEND_DEPTH = 64;

    /** Default: maximum number of READs of one queue pair that are outstanding at the NIC. */
    public static final int DEFAULT_MAX_READS = 16;

    /** Default: exponent of the acknowledge timeout. */
    public static final int DEFAULT_ACK_TIMEOUT = 14;

    /** Default: number of retries before a queue pair fails. */
    public static final int DEFAULT_RETRY_COUNT = 7;

    /** Default: maximum number of READ work requests in flight of all engines on a NIC. */
    public static final int DEFAULT_READ_BUDGET = 64;

    /** Default: how long the READs of a connection may make no progress, in seconds. */
    public static final int DEFAULT_READ_TIMEOUT_SECONDS = 3;

    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofHours(1);

    /** 64 READ work requests, 16 at the NIC, 67 ms timeout, 7 retries, 3 s without progress. */
    public static final RcConfig DEFAULTS =
            new RcConfig(DEFAULT_SEND_DEPTH, DEFAULT_MAX_READS, DEFAULT_ACK_TIMEOUT, DEFAULT_RETRY_COUNT);

    /**
     * Creates settings with a budget of 64 READs.
     *
     * @param sendDepth maximum number of READ work requests of one queue pair in flight
     * @param maxReads maximum number of READs of one queue pair that are outstanding at the NIC
     * @param ackTimeoutExponent exponent of the acknowledge timeout
     * @param retryCount number of retries before a queue pair fails
     */
    public RcConfig(int sendDepth, int maxReads, int ackTimeoutExponent, int retryCount) {
        this(sendDepth, maxReads, ackTimeoutExponent, retryCount, DEFAULT_READ_BUDGET);
    }

    /**
     * Creates settings with a READ timeout of 3 s.
     *
     * @param sendDepth maximum number of READ work requests of one queue pair in flight
     * @param maxReads maximum number of READs of one queue pair that are outstanding at the NIC
     * @param ackTimeoutExponent exponent of the acknowledge timeout
     * @param retryCount number of retries before a queue pair fails
     * @param readBudget maximum number of READ work requests in flight of all engines on a NIC
     */
    public RcConfig(int sendDepth, int maxReads, int ackTimeoutExponent, int retryCount, int readBudget) {
        this(
                sendDepth,
                maxReads,
                ackTimeoutExponent,
                retryCount,
                readBudget,
                Duration.ofSeconds(DEFAULT_READ_TIMEOUT_SECONDS));
    }

    /**
     * Validates the timeout. The other settings depend on the device and are checked when the transport is opened.
     *
     * @param sendDepth maximum number of READ work requests of one queue pair in flight
     * @param maxReads maximum number of READs of one queue pair that are outstanding at the NIC
     * @param ackTimeoutExponent exponent of the acknowledge timeout
     * @param retryCount number of retries before a queue pair fails
     * @param readBudget maximum number of READ work requests in flight of all engines on a NIC
     * @param readTimeout how long the READs of a connection may make no progress
     * @throws RdmaConfigurationException if the timeout is below 100 ms or above one hour
     */
    public RcConfig {
        if (readTimeout.compareTo(SHORTEST) < 0 || readTimeout.compareTo(LONGEST) > 0) {
            throw new RdmaConfigurationException(
                    "rc.read-timeout",
                    readTimeout,
                    "it must be from " + SHORTEST.toMillis() + " ms to " + LONGEST.toMinutes() + " minutes",
                    "Use 3s, or leave it out");
        }
    }

    /**
     * Returns a copy with another READ timeout.
     *
     * @param newTimeout how long the READs of a connection may make no progress
     * @return the copy
     */
    public RcConfig withReadTimeout(Duration newTimeout) {
        return new RcConfig(sendDepth, maxReads, ackTimeoutExponent, retryCount, readBudget, newTimeout);
    }
}
