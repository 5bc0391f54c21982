package io.rdmarpc.demo.live;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The stages of one traced call.
 *
 * @param name name of the transport
 * @param totalMicros time from the caller's first step to its last, in microseconds
 * @param stages stages in order, without gaps
 * @param estimated whether both network stages are estimated as halves of the remaining time, because the clocks differ
 * @param failure why there are no stages, or null
 */
public record CallTrace(
        String name,
        double totalMicros,
        List<StageTime> stages,
        boolean estimated,
        @Nullable String failure) {

    /**
     * The duration of one stage.
     *
     * @param stage the stage
     * @param startMicros start, in microseconds since the call began
     * @param micros duration in microseconds
     */
    public record StageTime(Stage stage, double startMicros, double micros) {}

    static CallTrace failed(String name, String failure) {
        return new CallTrace(name, 0, List.of(), false, failure);
    }

    /** Builds a trace from the end times of consecutive stages. */
    static final class Builder {

        private final String name;
        private final long start;
        private final List<StageTime> stages = new ArrayList<>();
        private long at;

        Builder(String name, long startNanos) {
            this.name = name;
            this.start = startNanos;
            this.at = startNanos;
        }

        /**
         * Adds a stage that ended at this time. A time before the previous end, as two threads can record it, is
         * corrected.
         */
        Builder until(Stage stage, long nanos) {
            long end = Math.max(at, nanos);
            stages.add(new StageTime(stage, (at - start) / 1000.0, (end - at) / 1000.0));
            at = end;
            return this;
        }

        CallTrace build(boolean estimated) {
            return new CallTrace(name, (at - start) / 1000.0, stages, estimated, null);
        }
    }
}
