package io.rdmarpc.rpc.runtime;

import io.rdmarpc.transport.RcConfig;
import io.rdmarpc.transport.UdConfig;
import java.util.function.IntFunction;

/**
 * How a runtime adds engines when those that it has are saturated and processors are idle. It stops using them when the
 * load is lower. Used if the number of polling threads is {@code auto}.
 *
 * @param maxEngines maximum number of engines on the first NIC, the first one included. A device with fewer queue pairs
 *     or completion vectors reduces it
 * @param configs returns the configuration of the engine of a number from 1, with a new polling thread
 */
public record EngineScaling(int maxEngines, IntFunction<EngineConfig> configs) {

    /** A fixed number of engines. */
    public static final EngineScaling NONE = new EngineScaling(1, number -> {
        throw new IllegalStateException("the number of engines is fixed");
    });

    /**
     * Returns the scaling that a configuration of polling threads describes. Threads that are added sleep when idle,
     * also if the first ones never do.
     *
     * @param polling the threads
     * @param threadName name of the first thread
     * @param ud sizes of the datagram transport of each engine
     * @param rc settings of the READs of each engine
     * @return {@link #NONE} if the number of threads is fixed
     */
    public static EngineScaling of(PollingConfig polling, String threadName, UdConfig ud, RcConfig rc) {
        if (polling.maxThreads() == polling.threads()) {
            return NONE;
        }
        // An engine that is not active any more must not keep a processor busy.
        PollingConfig added =
                polling.idleStrategy() == IdlePolicy.BUSY ? polling.withIdleStrategy(IdlePolicy.ADAPTIVE) : polling;
        return new EngineScaling(
                polling.maxThreads(), number -> new EngineConfig(ud, rc, added.thread(threadName, number)));
    }
}
