package io.rdmarpc.rpc;

import io.rdmarpc.verbs.RdmaConfigurationException;
import java.time.Duration;

/**
 * How much a server takes on before it refuses calls with {@link RpcStatus#OVERLOADED}. A refusal costs the server one
 * packet, no thread, and for a large request no READ.
 *
 * @param maxConcurrentCalls calls that one polling thread may have unanswered at a time, 0 for any number
 * @param maxQueueTime how long a call may wait for a thread of its method's executor, 0 for any time
 */
public record LoadLimits(int maxConcurrentCalls, Duration maxQueueTime) {

    /** No limits: every call is taken. */
    public static final LoadLimits NONE = new LoadLimits(0, Duration.ZERO);

    /**
     * Checks the numbers.
     *
     * @param maxConcurrentCalls calls that one polling thread may have unanswered at a time
     * @param maxQueueTime how long a call may wait for a thread
     */
    public LoadLimits {
        if (maxConcurrentCalls < 0) {
            throw negative("server.max-concurrent-calls", maxConcurrentCalls);
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
