package io.rdmarpc.async;

/** How a node polls its completion queue. The polling thread also completes the futures. */
public enum PollingMode {
    /** {@link #EVENTS} if the provider has completion channels, otherwise {@link #THREAD}. */
    AUTO,
    /** A thread sleeps until the device reports a completion. It uses no processor time while the node is idle. */
    EVENTS,
    /**
     * A thread polls while it finds completions. It then yields the processor 1000 times, and then sleeps for up to 500
     * µs at a time.
     */
    THREAD,
    /**
     * The caller polls with {@link RdmaNode#poll()}. Futures complete only during a call; peers may READ and WRITE at
     * any time.
     */
    MANUAL
}
