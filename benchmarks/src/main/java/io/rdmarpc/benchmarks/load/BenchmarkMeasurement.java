package io.rdmarpc.benchmarks.load;

/**
 * Result of a measurement of calls.
 *
 * @param outcome how many, how fast
 * @param client what the client's process used meanwhile
 * @param server what the server's process used meanwhile
 */
public record BenchmarkMeasurement(BenchmarkOutcome outcome, BenchmarkCounters client, BenchmarkCounters server) {

    /**
     * Returns the processor time.
     *
     * @return seconds of both processes for a million calls
     */
    public double cpuSecondsPerMillion() {
        return (client.cpuNanos() + server.cpuNanos()) / 1e3 / outcome.calls();
    }

    /**
     * Tells how busy the compilers still were.
     *
     * @return percent of the time, of all compilers of both processes together
     */
    public double compilersPercent() {
        return (client.compilerMillis() + server.compilerMillis()) / 10.0 / outcome.seconds();
    }

    /**
     * Returns what a call allocates in the client's process.
     *
     * @return bytes
     */
    public double clientBytesPerCall() {
        return (double) client.allocatedBytes() / outcome.calls();
    }

    /**
     * Returns what a call allocates in the server's process.
     *
     * @return bytes
     */
    public double serverBytesPerCall() {
        return (double) server.allocatedBytes() / outcome.calls();
    }
}
