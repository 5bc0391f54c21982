package io.rdmarpc.benchmarks.probe;

/**
 * Half the time of a round trip, in microseconds. Rounds are timed in blocks, so that reading the clock costs nothing; the
 * median block counts, as it is the median round that the verbs' latency tool reports.
 */
final class ProbeRoundTrips {

    private static final int BLOCK = 100;

    private ProbeRoundTrips() {}

    static double halfMicros(int rounds, Round round) throws Exception {
        double[] blocks = new double[whole(rounds) / BLOCK];
        for (int i = 0; i < blocks.length; i++) {
            long start = System.nanoTime();
            for (int j = 0; j < BLOCK; j++) {
                round.play();
            }
            blocks[i] = (System.nanoTime() - start) / (2e3 * BLOCK);
        }
        return new Spread(blocks).median();
    }

    /** Returns how many rounds are played when so many are asked for: whole blocks. */
    static int whole(int rounds) {
        return Math.max(1, rounds / BLOCK) * BLOCK;
    }

    /** There and back, once. */
    interface Round {
        void play() throws Exception;
    }
}
