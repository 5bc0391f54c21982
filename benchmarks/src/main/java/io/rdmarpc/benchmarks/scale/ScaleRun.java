package io.rdmarpc.benchmarks.scale;

import io.rdmarpc.benchmarks.load.BenchmarkMeasurement;
import io.rdmarpc.benchmarks.load.OtherPrograms;
import io.rdmarpc.benchmarks.peer.ScaleKind;
import java.io.IOException;

/**
 * Measures one kind of calls with one number of threads.
 *
 * @param kind kind of calls
 * @param threads number of threads per side
 * @param warmUpSeconds maximum duration of the warm-up in seconds; half as long again after a garbage collection
 * @param seconds duration of the measurement in seconds
 */
public record ScaleRun(ScaleKind kind, int threads, double warmUpSeconds, double seconds) {

    /**
     * A measurement.
     *
     * @param measurement calls and resources of all processes together
     * @param warm whether calls stopped getting faster within the warm-up
     * @param othersPercent share of all CPUs that other programs used during the measurement
     */
    public record Result(BenchmarkMeasurement measurement, boolean warm, double othersPercent) {}

    /** Measures in new processes. Throws an exception with the process's standard error if a process fails. */
    public Result measure() throws IOException {
        try (Pairs pairs = Pairs.start(kind, threads)) {
            boolean warm = pairs.warmUp(warmUpSeconds);
            OtherPrograms others = new OtherPrograms();
            BenchmarkMeasurement measurement = pairs.measure(seconds);
            return new Result(measurement, warm, others.percent());
        }
    }
}
