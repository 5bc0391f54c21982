package io.rdmarpc.benchmarks.load;

/** Calls that are ready to be made: what that takes is not part of the measurement. */
interface Run extends AutoCloseable {

    /**
     * Makes them, once.
     *
     * @param seconds how long; 0 for one call of each caller
     * @return what was measured
     * @throws Exception if a call fails
     */
    BenchmarkOutcome run(double seconds) throws Exception;

    @Override
    void close();
}
