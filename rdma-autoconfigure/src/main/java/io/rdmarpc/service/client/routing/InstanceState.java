package io.rdmarpc.service.client.routing;

import org.jspecify.annotations.Nullable;

/**
 * One instance of a target as its clients see it.
 *
 * @param id the instance's id
 * @param address its control port
 * @param state whether calls go there
 * @param callsInFlight calls of this process that have not ended
 * @param lastFailure why it cannot be reached or was left out, null when nothing failed
 */
public record InstanceState(
        String id,
        String address,
        State state,
        int callsInFlight,
        @Nullable String lastFailure) {

    /** Whether calls go to an instance. */
    public enum State {
        /** Calls go there. */
        READY,
        /** There is no session with it; it is tried again and again. */
        CONNECTING,
        /** It failed calls and is left out for a while. */
        PROBATION,
        /** It is gone from the list; calls in flight may end. */
        DRAINING
    }
}
