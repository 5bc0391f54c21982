package io.rdmarpc.service.observation;

import io.rdmarpc.rpc.SessionSnapshot;
import io.rdmarpc.rpc.SessionSnapshot.Role;
import io.rdmarpc.rpc.SessionSnapshot.State;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.rpc.stats.RoundTripStatistics;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;

/** Meters of sessions by target and state, and of the round-trip time to each target. */
final class SessionMeters {

    private static final double NANOS_PER_SECOND = 1e9;

    /** The target tag of sessions that clients opened with this process. */
    private static final String NO_TARGET = "none";

    private final SourceMeters<RdmaRuntime> meters;

    SessionMeters(SourceMeters<RdmaRuntime> meters) {
        this.meters = meters;
    }

    void bindServer() {
        bindStates(Role.SERVER, "", NO_TARGET);
    }

    void bindTarget(String target) {
        bindStates(Role.CLIENT, target, target);
        meters.gauge(
                RdmaMeter.SESSION_ROUND_TRIP,
                source -> roundTrips(source, target)
                                .mapToLong(RoundTripStatistics::smoothedNanos)
                                .average()
                                .orElse(0)
                        / NANOS_PER_SECOND,
                "rdma.target",
                target);
    }

    private void bindStates(Role role, String target, String tag) {
        for (State state : State.values()) {
            meters.gauge(
                    RdmaMeter.SESSIONS,
                    source -> sessions(source, role, target)
                            .filter(session -> session.state() == state)
                            .count(),
                    "role",
                    role.name().toLowerCase(Locale.ROOT),
                    "rdma.target",
                    tag,
                    "state",
                    state.name().toLowerCase(Locale.ROOT));
        }
    }

    private static Stream<SessionSnapshot> sessions(RdmaRuntime runtime, Role role, String target) {
        return runtime.sessions().stream()
                .filter(session -> session.role() == role && session.target().equals(target));
    }

    private static Stream<RoundTripStatistics> roundTrips(RdmaRuntime runtime, String target) {
        return sessions(runtime, Role.CLIENT, target)
                .filter(session -> session.state() == State.OPEN)
                .map(SessionSnapshot::roundTrips)
                .filter(Objects::nonNull);
    }
}
