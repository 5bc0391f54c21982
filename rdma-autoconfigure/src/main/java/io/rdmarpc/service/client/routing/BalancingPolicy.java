package io.rdmarpc.service.client.routing;

/** Selection of an instance for each call of a target. */
public enum BalancingPolicy {
    /** Round-robin over the instances. */
    ROUND_ROBIN,
    /** The instance with the fewest calls of this process in flight, of up to eight candidates. */
    LEAST_IN_FLIGHT,
    /**
     * The same instance for equal keys, see {@link io.rdmarpc.annotation.RdmaKey}. Calls without a key use round-robin.
     */
    STICKY
}
