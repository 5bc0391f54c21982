package io.rdmarpc.demo.live;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.ToDoubleFunction;

/**
 * How busy the CPUs of this host were in the last ten intervals, and how much of that other programs caused. Not
 * thread-safe.
 */
final class HostLoad {

    private static final int INTERVALS = 10;
    /** Mean CPU load above which all CPUs count as busy. */
    private static final double SATURATED = 0.95;
    /** Share of the CPUs above which other programs distort the comparison. */
    private static final double OTHERS = 0.1;

    private final int cpus;
    private final Deque<Interval> intervals = new ArrayDeque<>();

    /**
     * The load of one interval.
     *
     * @param all share of all CPUs that was busy, from 0 to 1
     * @param others share of all CPUs that other programs used, from 0 to 1
     */
    private record Interval(double all, double others) {}

    HostLoad(int cpus) {
        this.cpus = cpus;
    }

    /**
     * Adds an interval.
     *
     * @param all share of all CPUs that was busy, from 0 to 1. A negative value or NaN means unknown and is ignored.
     * @param ownCpus number of CPUs that the processes of the demo on this host kept busy
     */
    void add(double all, double ownCpus) {
        if (Double.isNaN(all) || all < 0) {
            return;
        }
        if (intervals.size() == INTERVALS) {
            intervals.removeFirst();
        }
        intervals.addLast(new Interval(all, Math.clamp(all - ownCpus / cpus, 0, 1)));
    }

    private double mean(ToDoubleFunction<Interval> value) {
        return intervals.stream().mapToDouble(value).average().orElse(0);
    }

    int cpus() {
        return cpus;
    }

    boolean isSaturated() {
        return mean(Interval::all) >= SATURATED;
    }

    boolean hasBusyOthers() {
        return others() >= OTHERS;
    }

    /** Returns the mean share of all CPUs that other programs used, from 0 to 1. */
    double others() {
        return mean(Interval::others);
    }
}
