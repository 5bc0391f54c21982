package io.rdmarpc.service.client.routing;

import org.jspecify.annotations.Nullable;

/**
 * State of one instance of a target.
 *
 * @param id the instance's id
 * @param address its control port
 * @param state whether calls use the instance
 * @param callsInFlight calls of this process that have not ended
 * @param lastFailure why the instance is unreachable or excluded, or null without a failure
 */
public record InstanceState(
        String id,
        String address,
        State state,
        int callsInFlight,
        @Nullable String lastFailure) {

    /** Whether calls use an instance. */
    public enum State {
        /** Calls use the instance. */
        READY,
        /** There is no session with the instance. The client retries to connect. */
        CONNECTING,
        /** The instance has failed calls and is excluded for a time. */
        PROBATION,
        /** The instance was removed from the list. Calls in flight may complete. */
        DRAINING
    }
}
