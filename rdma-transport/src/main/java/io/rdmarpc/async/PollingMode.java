package io.rdmarpc.async;

/** Who takes completions from a node's queue, and so completes its futures. */
public enum PollingMode {
    /** {@link #EVENTS} where the provider has completion channels, else {@link #THREAD}. */
    AUTO,
    /** A thread that sleeps until the device reports a completion: no processor time while nothing happens. */
    EVENTS,
    /** A thread that polls while there is work and for a while after, then sleeps for up to half a millisecond. */
    THREAD,
    /** The caller, by {@link RdmaNode#poll()}. Nothing completes between two calls; peers may READ and WRITE all the same. */
    MANUAL
}
