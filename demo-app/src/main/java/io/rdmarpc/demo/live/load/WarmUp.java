package io.rdmarpc.demo.live.load;

import io.rdmarpc.demo.MedianTrend;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Decides when the transports are warm: the last median of each transport is no faster than its two undisturbed medians
 * before, and the JIT compilers are idle. Not thread-safe.
 */
public final class WarmUp {

    private static final double MOST_COMPILER_SHARE = 0.1;

    private final Duration limit;
    /** One for each transport that works. */
    private List<MedianTrend> trends = List.of();

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
        if (trends.size() != medians.size()) {
            trends = Stream.generate(MedianTrend::new).limit(medians.size()).toList();
        }
        for (int i = 0; i < medians.size(); i++) {
            trends.get(i).add(medians.get(i));
        }
        warm = !trends.isEmpty()
                && compilerShare < MOST_COMPILER_SHARE
                && trends.stream().allMatch(MedianTrend::isSteady);
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
