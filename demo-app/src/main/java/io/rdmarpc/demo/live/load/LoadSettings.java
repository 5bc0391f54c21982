package io.rdmarpc.demo.live.load;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;

/**
 * The settings of the page's controls.
 *
 * @param workload kind of call that callers make
 * @param schedule which transport works when
 * @param callers number of concurrent callers, or of calls in flight
 * @param payloadBytes length of an order's instructions in bytes
 * @param lossPercent percentage of the client's packets that the software RNIC loses
 */
public record LoadSettings(
        @NotNull Workload workload,
        @NotNull Schedule schedule,
        @Min(1) @Max(256) int callers,
        @Min(0) @Max(1 << 20) int payloadBytes,
        @Min(0) @Max(20) double lossPercent) {

    public static final LoadSettings FIRST = new LoadSettings(Workload.PLACE, Schedule.TURNS, 4, 128, 0);

    public LoadSettings withLoss(double percent) {
        return new LoadSettings(workload, schedule, callers, payloadBytes, percent);
    }
}
