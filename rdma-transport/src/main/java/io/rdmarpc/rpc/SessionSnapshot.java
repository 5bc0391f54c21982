package io.rdmarpc.rpc;

import io.rdmarpc.rpc.stats.RoundTripStatistics;
import org.jspecify.annotations.Nullable;

/**
 * One session of a runtime as it is at the moment.
 *
 * @param id its number, unique as long as the runtime lives
 * @param role which end this side is
 * @param target the name of the target that it calls, empty at the answering end
 * @param peer the peer's control address
 * @param state how far it has come
 * @param info what was negotiated, null until it was
 * @param rcQueuePair number of its connected queue pair, 0 as long as no large message needed one
 * @param backlog calls in flight or waiting, 0 at the answering end
 * @param roundTrips how long calls take, null at the answering end and until the session is open
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

    /** Which end of a session. */
    public enum Role {
        /** Calls. */
        CLIENT,
        /** Answers. */
        SERVER
    }

    /** How far a session has come. */
    public enum State {
        /** Being negotiated. */
        OPENING,
        /** Carries calls. */
        OPEN,
        /** Has ended; the NIC still holds something of it. */
        CLOSING
    }
}
