package io.rdmarpc.rpc.runtime;

/** What a polling thread does when there is nothing to do. */
public enum IdlePolicy {
    /** Polls on: the shortest latency, for a core per thread. Callers that wait spin too. */
    BUSY,
    /** Polls for a number of turns, offering its core to others after each, then sleeps until there is something. */
    ADAPTIVE,
    /** Sleeps at once until there is something: least processor time, and a wake-up for each burst of packets. */
    EVENT
}
