package io.rdmarpc.demo.live;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What happened to one call.
 *
 * @param name the transport
 * @param totalMicros from the caller's first step to its last
 * @param stages in order, without gaps
 * @param estimated whether the ways there and back are halves of what is left, since the clocks differ
 * @param failure why there are no stages
 */
public record CallTrace(
        String name,
        double totalMicros,
        List<StageTime> stages,
        boolean estimated,
        @Nullable String failure) {

    /**
     * One stage.
     *
     * @param stage which
     * @param startMicros since the call began
     * @param micros how long
     */
    public record StageTime(Stage stage, double startMicros, double micros) {}

    static CallTrace failed(String name, String failure) {
        return new CallTrace(name, 0, List.of(), false, failure);
    }

    /** Puts stages one behind the other. */
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

        /** The stage that lasted until then; two noted at once by two threads may be in the wrong order by a little. */
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
