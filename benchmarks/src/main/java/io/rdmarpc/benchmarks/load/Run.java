package io.rdmarpc.benchmarks.load;

/** Prepared calls. The preparation is not part of the measurement. */
interface Run extends AutoCloseable {

    /**
     * Makes the calls. May be called once.
     *
     * @param seconds duration; 0 for one call per caller
     * @return the outcome
     * @throws Exception if a call fails
     */
    BenchmarkOutcome run(double seconds) throws Exception;

    @Override
    void close();
}
