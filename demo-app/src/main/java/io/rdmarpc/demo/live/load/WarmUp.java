package io.rdmarpc.demo.live.load;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;

/**
 * Decides when the transports are warm: the last median of each transport is no faster than its two medians before, and
 * the JIT compilers are idle. Not thread-safe.
 */
public final class WarmUp {

    /** Difference of two medians that counts as noise. */
    private static final double NOISE = 0.03;

    private static final double MOST_COMPILER_SHARE = 0.1;
    private static final int INTERVALS_BEFORE = 2;

    private final Duration limit;
    private final Deque<List<Double>> before = new ArrayDeque<>();
    private Duration spent = Duration.ZERO;
    private boolean warm;

    /**
     * Creates a warm-up.
     *
     * @param limit the warm-up is over after this time, even if the transports are not warm
     */
    public WarmUp(Duration limit) {
        this.limit = limit;
    }

    /**
     * Adds an interval.
     *
     * @param medians median latency of each transport that works, NaN if it completed no calls
     * @param compilerShare share of the time in which the JIT compiler of a process worked
     * @param time length of the interval
     */
    public void add(List<Double> medians, double compilerShare, Duration time) {
        spent = spent.plus(time);
        warm = before.size() == INTERVALS_BEFORE
                && compilerShare < MOST_COMPILER_SHARE
                && before.stream().allMatch(earlier -> isNoFaster(medians, earlier));
        if (before.size() == INTERVALS_BEFORE) {
            before.removeFirst();
        }
        before.addLast(List.copyOf(medians));
    }

    private static boolean isNoFaster(List<Double> medians, List<Double> earlier) {
        return medians.size() == earlier.size()
                && Stream.iterate(0, i -> i < medians.size(), i -> i + 1)
                        .allMatch(i -> medians.get(i) >= earlier.get(i) * (1 - NOISE));
    }

    /** Returns whether the transports were warm in the last interval. */
    public boolean isWarm() {
        return warm;
    }

    /** Returns whether the transports are warm, or the time is over. */
    public boolean isOver() {
        return warm || spent.compareTo(limit) >= 0;
    }

    /** Returns the progress for the page. */
    public WarmUpView view() {
        return new WarmUpView(spent.toSeconds(), limit.toSeconds());
    }
}
