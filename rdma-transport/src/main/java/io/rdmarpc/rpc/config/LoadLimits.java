package io.rdmarpc.rpc.config;

import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.time.Duration;

/**
 * How much a server takes on before it refuses calls with {@link RpcStatus#OVERLOADED}. A rejection costs the server one
 * packet; one for too many calls no thread either, and for a large request no READ.
 *
 * @param maxConcurrentCalls calls that one polling thread may have unanswered at a time, those whose requests it READs
 *     included; 0 for any number
 * @param maxQueueTime how long a call may wait for a thread of its method's executor once all of its request is here, 0
 *     for any time
 * @param maxCallsBeforeRead the same as {@code maxConcurrentCalls}, for large requests alone: for servers that count
 *     calls themselves where these are run, which is after the READ; 0 for any number
 */
public record LoadLimits(int maxConcurrentCalls, Duration maxQueueTime, int maxCallsBeforeRead) {

    /** No limits: every call is taken. */
    public static final LoadLimits NONE = new LoadLimits(0, Duration.ZERO);

    /**
     * Makes limits that are the same for small and large requests.
     *
     * @param maxConcurrentCalls calls that one polling thread may have unanswered at a time
     * @param maxQueueTime how long a call may wait for a thread
     */
    public LoadLimits(int maxConcurrentCalls, Duration maxQueueTime) {
        this(maxConcurrentCalls, maxQueueTime, 0);
    }

    /**
     * Checks the numbers.
     *
     * @param maxConcurrentCalls calls that one polling thread may have unanswered at a time
     * @param maxQueueTime how long a call may wait for a thread
     * @param maxCallsBeforeRead calls that it may have unanswered when a large request comes
     */
    public LoadLimits {
        if (maxConcurrentCalls < 0) {
            throw negative("server.max-concurrent-calls", maxConcurrentCalls);
        }
        if (maxCallsBeforeRead < 0) {
            // Applications have one setting for both.
            throw negative("server.max-concurrent-calls", maxCallsBeforeRead);
        }
        if (maxQueueTime.isNegative()) {
            throw negative("server.max-queue-time", maxQueueTime);
        }
    }

    private static RdmaConfigurationException negative(String setting, Object value) {
        return new RdmaConfigurationException(
                setting, value, "it must be 0 or more", "Change it, or use 0 for no limit");
    }
}
