package io.rdmarpc.rpc;

import io.rdmarpc.rpc.stats.RoundTripStatistics;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of one session of a runtime.
 *
 * @param id its number, unique within the runtime
 * @param role whether this side is client or server
 * @param target the name of the called target, empty at a server
 * @param peer the peer's control address
 * @param state the state of the session
 * @param info the negotiated parameters, null before the negotiation
 * @param rcQueuePair number of its connected queue pair, 0 until a large message needs one
 * @param backlog calls in flight or waiting, 0 at a server
 * @param roundTrips round-trip statistics, null at a server and until the session is open
 */
public record SessionSnapshot(
        long id,
        Role role,
        String target,
        String peer,
        State state,
        @Nullable SessionInfo info,
        int rcQueuePair,
        int backlog,
        @Nullable RoundTripStatistics roundTrips) {

    /** The side of a session. */
    public enum Role {
        /** Makes calls. */
        CLIENT,
        /** Serves calls. */
        SERVER
    }

    /** The state of a session. */
    public enum State {
        /** Being negotiated. */
        OPENING,
        /** Carries calls. */
        OPEN,
        /** Has ended; the NIC still holds some of its resources. */
        CLOSING
    }
}
