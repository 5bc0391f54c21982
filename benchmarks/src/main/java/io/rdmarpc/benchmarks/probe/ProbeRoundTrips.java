package io.rdmarpc.benchmarks.probe;

/**
 * Computes half the time of a round trip in microseconds. It times blocks of rounds, so that the cost of reading the
 * clock is negligible. The result is the median block, as the verbs' latency tool reports the median round.
 */
final class ProbeRoundTrips {

    private static final int BLOCK = 100;

    private ProbeRoundTrips() {}

    static double halfMicros(int rounds, Round round) throws Exception {
        double[] blocks = new double[whole(rounds) / BLOCK];
        for (int i = 0; i < blocks.length; i++) {
            long start = System.nanoTime();
            for (int j = 0; j < BLOCK; j++) {
                round.run();
            }
            blocks[i] = (System.nanoTime() - start) / (2e3 * BLOCK);
        }
        return new Spread(blocks).median();
    }

    /** Returns the number of rounds for a requested number: a multiple of the block size. */
    static int whole(int rounds) {
        return Math.max(1, rounds / BLOCK) * BLOCK;
    }

    /** One round trip. */
    interface Round {
        void run() throws Exception;
    }
}
