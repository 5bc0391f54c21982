package io.rdmarpc.service.client.routing;

/** How the calls of a target are spread over its instances. */
public enum BalancingPolicy {
    /** One after the other. */
    ROUND_ROBIN,
    /** The one with the fewest calls of this process in flight, of up to eight that are looked at. */
    LEAST_IN_FLIGHT,
    /** The same for equal keys, see {@link io.rdmarpc.annotation.RdmaKey}; one after the other for calls without a key. */
    STICKY
}
