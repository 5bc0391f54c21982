package io.rdmarpc.rpc.runtime;

/** Selects how a polling thread waits after a duty cycle without work. */
public enum IdlePolicy {
    /** Keeps polling: the lowest latency, at the cost of one core per thread. Waiting callers spin, too. */
    BUSY,
    /** Polls for a number of duty cycles and yields its core after each, then sleeps until work arrives. */
    ADAPTIVE,
    /** Sleeps at once until work arrives: the least processor time, and one wake-up for each burst of packets. */
    EVENT
}
