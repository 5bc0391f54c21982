package io.rdmarpc.benchmarks.load;

import java.io.IOException;

/**
 * Calls until the compilers rest and the rate no longer rises, up to a limit. Some libraries are compiled within seconds, others keep the
 * compilers at work for most of a minute.
 */
final class WarmUp {

    /** So many slices in a row must be warm. */
    static final int WARM_SLICES = 3;

    private static final double LEAST_SLICE_SECONDS = 0.25;
    private static final double MOST_SLICE_SECONDS = 1;
    private static final int SLICES = 20;

    /** Less than this is no rise, but chance. */
    private static final double RISE = 1.05;

    /** Of the time, all compilers of both processes together. */
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

    /** Calls for some time. */
    interface Slice {
        BenchmarkMeasurement measure(double seconds) throws IOException;
    }

    /** Returns whether it was warm before the time was over. */
    boolean run(Slice calls) throws IOException {
        for (double spent = 0; spent < mostSeconds && warm < WARM_SLICES; spent += sliceSeconds) {
            look(calls.measure(sliceSeconds));
        }
        return warm == WARM_SLICES;
    }

    private void look(BenchmarkMeasurement slice) {
        double rate = slice.outcome().perSecond();
        boolean isWarm = rate <= RISE * bestRate && slice.compilersPercent() <= COMPILERS_PERCENT;
        warm = isWarm ? warm + 1 : 0;
        bestRate = Math.max(bestRate, rate);
    }
}
