package io.rdmarpc.demo.live;

import io.rdmarpc.demo.live.load.LaneView;
import io.rdmarpc.demo.live.load.LoadSettings;
import io.rdmarpc.demo.live.load.WarmUpView;
import io.rdmarpc.demo.live.side.ProcessView;
import io.rdmarpc.demo.live.side.RdmaView;
import io.rdmarpc.demo.live.side.ServerStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state that the page shows, published once a second.
 *
 * @param at time in milliseconds since 1970
 * @param phase phase of the load
 * @param warmUp progress of the warm-up, null if there is none
 * @param setup what the figures are measured with, in a few words
 * @param notes conditions that limit what the figures say
 * @param problem description of the current problem, null if there is none
 * @param settings settings of the controls
 * @param lanes the transports: RDMA, gRPC, HTTP
 * @param rdma the client's engine, null while it starts
 * @param inFlightPeak maximum number of calls in flight in this interval
 * @param backlogPeak maximum number of calls that waited for the window in this interval
 * @param retransmissions number of retransmissions in this interval
 * @param server the server's engine, null if the server does not respond
 * @param processes client and server, or one process that is both
 * @param processors number of processors of this host
 */
public record Snapshot(
        long at,
        Phase phase,
        @Nullable WarmUpView warmUp,
        String setup,
        List<String> notes,
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

    /** Phase of the load. */
    public enum Phase {
        STARTING,
        WARMING_UP,
        RUNNING,
        STOPPED;

        /** Returns whether calls are made. */
        public boolean isActive() {
            return this == WARMING_UP || this == RUNNING;
        }
    }

    /** Returns the values of this snapshot that the charts over time need. */
    Point point() {
        return new Point(
                at,
                phase == Phase.RUNNING,
                lanes.stream().map(Point.LanePoint::of).toList(),
                retransmissions);
    }

    /**
     * One point of the charts over time.
     *
     * @param at time in milliseconds since 1970
     * @param warm whether the warm-up was over
     * @param lanes the transports: RDMA, gRPC, HTTP
     * @param retransmissions number of retransmissions in this interval
     */
    public record Point(long at, boolean warm, List<LanePoint> lanes, long retransmissions) {

        /**
         * The values of one transport.
         *
         * @param p50 median latency in microseconds
         * @param p99 99th percentile of the latency in microseconds
         * @param perSecond calls per second
         * @param cpus number of busy processors, null if unknown
         */
        public record LanePoint(
                double p50,
                double p99,
                double perSecond,
                @Nullable Double cpus) {

            static LanePoint of(LaneView lane) {
                return new LanePoint(lane.now().p50(), lane.now().p99(), lane.nowPerSecond(), lane.cpus());
            }
        }
    }
}
