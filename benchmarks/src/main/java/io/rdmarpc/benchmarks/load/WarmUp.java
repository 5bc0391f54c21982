package io.rdmarpc.benchmarks.load;

import java.io.IOException;

/**
 * Makes calls until the JIT compilers are idle and the rate no longer rises, up to a time limit. Some libraries need
 * seconds, others keep the compilers busy for most of a minute.
 */
final class WarmUp {

    /** Number of consecutive slices that must be warm. */
    static final int WARM_SLICES = 3;

    private static final double LEAST_SLICE_SECONDS = 0.25;
    private static final double MOST_SLICE_SECONDS = 1;
    private static final int SLICES = 20;

    /** Increase of the rate that counts as a rise instead of noise. */
    private static final double RISE = 1.05;

    /** Maximum time of the JIT compilers of both processes together, in percent. */
    private static final double COMPILERS_PERCENT = 10;

    private final double mostSeconds;
    private final double sliceSeconds;
    private double bestRate;
    private int warm;

    WarmUp(double mostSeconds) {
        this.mostSeconds = mostSeconds;
        this.sliceSeconds =
                Math.min(mostSeconds, Math.clamp(mostSeconds / SLICES, LEAST_SLICE_SECONDS, MOST_SLICE_SECONDS));
    }

    /** Makes calls for some time. */
    interface Slice {
        BenchmarkMeasurement measure(double seconds) throws IOException;
    }

    /** Returns whether the calls were warm before the time limit. */
    boolean run(Slice calls) throws IOException {
        for (double spent = 0; spent < mostSeconds && warm < WARM_SLICES; spent += sliceSeconds) {
            update(calls.measure(sliceSeconds));
        }
        return warm == WARM_SLICES;
    }

    private void update(BenchmarkMeasurement slice) {
        double rate = slice.outcome().perSecond();
        boolean isWarm = rate <= RISE * bestRate && slice.compilersPercent() <= COMPILERS_PERCENT;
        warm = isWarm ? warm + 1 : 0;
        bestRate = Math.max(bestRate, rate);
    }
}
