package io.rdmarpc.benchmarks.load;

import java.util.List;

/**
 * Result of a measurement of calls.
 *
 * @param outcome number and latencies of the calls
 * @param client resources used by the client process
 * @param server resources used by the server process
 */
public record BenchmarkMeasurement(BenchmarkOutcome outcome, BenchmarkCounters client, BenchmarkCounters server) {

    /**
     * Combines measurements that ran at the same time in different processes.
     *
     * @param each the measurements, at least one
     * @return their calls and resources together
     */
    public static BenchmarkMeasurement concurrent(List<BenchmarkMeasurement> each) {
        return new BenchmarkMeasurement(
                BenchmarkOutcome.concurrent(
                        each.stream().map(BenchmarkMeasurement::outcome).toList()),
                each.stream().map(BenchmarkMeasurement::client).reduce(BenchmarkCounters.NONE, BenchmarkCounters::plus),
                each.stream()
                        .map(BenchmarkMeasurement::server)
                        .reduce(BenchmarkCounters.NONE, BenchmarkCounters::plus));
    }

    /**
     * Returns the CPU time per million calls.
     *
     * @return seconds of both processes per million calls
     */
    public double cpuSecondsPerMillion() {
        return (client.cpuNanos() + server.cpuNanos()) / 1e3 / outcome.calls();
    }

    /**
     * Returns how busy the JIT compilers still were.
     *
     * @return percent of the time, summed over all compilers of both processes
     */
    public double compilersPercent() {
        return (client.compilerMillis() + server.compilerMillis()) / 10.0 / outcome.seconds();
    }

    /**
     * Returns the bytes that the client process allocates per call.
     *
     * @return bytes per call
     */
    public double clientBytesPerCall() {
        return (double) client.allocatedBytes() / outcome.calls();
    }

    /**
     * Returns the bytes that the server process allocates per call.
     *
     * @return bytes per call
     */
    public double serverBytesPerCall() {
        return (double) server.allocatedBytes() / outcome.calls();
    }
}
