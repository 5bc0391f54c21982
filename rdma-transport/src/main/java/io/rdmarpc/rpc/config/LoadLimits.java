package io.rdmarpc.rpc.config;

import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.time.Duration;

/**
 * Load limits of a server, beyond which it rejects calls with {@link RpcStatus#OVERLOADED}. A rejection costs the
 * server one packet. A rejection because of the number of calls needs no thread, and a large request is then not READ.
 *
 * @param maxConcurrentCalls maximum number of calls without a response per polling thread, including those whose
 *     requests are being READ; 0 for no limit
 * @param maxQueueTime how long a call may wait for a thread of its method's executor after its request is complete; 0
 *     for no limit
 * @param maxCallsBeforeRead the limit of {@code maxConcurrentCalls} for large requests alone. It is for servers that
 *     count calls themselves, because they do so after the READ; 0 for no limit
 */
public record LoadLimits(int maxConcurrentCalls, Duration maxQueueTime, int maxCallsBeforeRead) {

    /** No limits: every call is accepted. */
    public static final LoadLimits NONE = new LoadLimits(0, Duration.ZERO);

    /**
     * Creates limits that are the same for small and large requests.
     *
     * @param maxConcurrentCalls maximum number of calls without a response per polling thread; 0 for no limit
     * @param maxQueueTime how long a call may wait for a thread; 0 for no limit
     */
    public LoadLimits(int maxConcurrentCalls, Duration maxQueueTime) {
        this(maxConcurrentCalls, maxQueueTime, 0);
    }

    /**
     * Validates the values.
     *
     * @param maxConcurrentCalls maximum number of calls without a response per polling thread
     * @param maxQueueTime how long a call may wait for a thread
     * @param maxCallsBeforeRead maximum number of calls without a response when a large request arrives
     */
    public LoadLimits {
        if (maxConcurrentCalls < 0) {
            throw negative("server.max-concurrent-calls", maxConcurrentCalls);
        }
        if (maxCallsBeforeRead < 0) {
            // Applications have one setting for both limits.
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
