package io.rdmarpc.demo.live;

import io.rdmarpc.demo.live.load.LaneView;
import io.rdmarpc.demo.live.load.LoadSettings;
import io.rdmarpc.demo.live.side.ProcessView;
import io.rdmarpc.demo.live.side.RdmaView;
import io.rdmarpc.demo.live.side.ServerStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the page shows, once a second.
 *
 * @param at milliseconds since 1970
 * @param phase what the load does
 * @param problem in words, null when all is well
 * @param settings what the controls say
 * @param lanes RDMA and HTTP
 * @param rdma the client's engine, null while it starts
 * @param inFlightPeak most calls without an answer that were seen in this turn
 * @param backlogPeak most calls waiting for the window that were seen
 * @param retransmissions in this turn
 * @param server the server's engine, null when it does not answer
 * @param processes the two processes, or the one
 * @param processors of this host
 */
public record Snapshot(
        long at,
        Phase phase,
        @Nullable String problem,
        LoadSettings settings,
        List<LaneView> lanes,
        @Nullable RdmaView rdma,
        long inFlightPeak,
        long backlogPeak,
        long retransmissions,
        @Nullable ServerStatus server,
        List<ProcessView> processes,
        int processors) {

    /** What the load does. */
    public enum Phase {
        STARTING,
        RUNNING,
        STOPPED
    }

    /** What the charts over time need of it. */
    Point point() {
        return new Point(at, lanes.stream().map(Point.LanePoint::of).toList(), retransmissions);
    }

    /**
     * One point of the charts over time.
     *
     * @param at milliseconds since 1970
     * @param lanes RDMA and HTTP
     * @param retransmissions in this turn
     */
    public record Point(long at, List<LanePoint> lanes, long retransmissions) {

        /**
         * One transport.
         *
         * @param p50 microseconds
         * @param p99 microseconds
         * @param perSecond calls
         * @param cpus processors busy
         */
        public record LanePoint(
                double p50,
                double p99,
                double perSecond,
                @Nullable Double cpus) {

            static LanePoint of(LaneView lane) {
                return new LanePoint(lane.now().p50(), lane.now().p99(), lane.perSecond(), lane.cpus());
            }
        }
    }
}
