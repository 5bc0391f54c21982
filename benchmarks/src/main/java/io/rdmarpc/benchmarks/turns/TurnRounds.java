package io.rdmarpc.benchmarks.turns;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Times of calls by round. A round has one turn of each pair of processes. In each round, the round trip of a flag, a
 * number in shared memory, shows whether the CPUs are near or far. A round counts as near or far only if
 * the previous and the next round show the same.
 */
public final class TurnRounds {

    private final double nearNanos;
    private final List<double[]> rounds = new ArrayList<>();
    private final List<Double> flags = new ArrayList<>();

    /** Creates an empty list. CPUs count as near if a round trip of the flag takes at most this time in nanoseconds. */
    public TurnRounds(double nearNanos) {
        this.nearNanos = nearNanos;
    }

    /** Adds a round: the time per call of each pair, and the time of the flag; NaN if a time is unknown. */
    public void add(double[] nanos, double flagNanos) {
        rounds.add(nanos.clone());
        flags.add(flagNanos);
    }

    /** Returns the rounds that have a previous and a next round. */
    public int[] all() {
        return IntStream.range(1, Math.max(1, rounds.size() - 1)).toArray();
    }

    /** Returns the rounds that are near, or far, and whose previous and next rounds are so too. */
    public int[] rounds(boolean near) {
        return Arrays.stream(all())
                .filter(i -> is(i - 1, near) && is(i, near) && is(i + 1, near))
                .toArray();
    }

    private boolean is(int round, boolean near) {
        double flag = flags.get(round);
        return !Double.isNaN(flag) && (flag <= nearNanos) == near;
    }

    /** Returns the time of the flag in a round. */
    public double flag(int round) {
        return flags.get(round);
    }

    /** Returns the time per call of a pair in a round. */
    public double nanos(int round, int pair) {
        return rounds.get(round)[pair];
    }

    /**
     * Returns the mean of the first pair's turns before and after a pair's turn. For the first pair itself
     * these are the turns in the previous and in the next round.
     */
    public double first(int round, int pair) {
        double before = rounds.get(pair == 0 ? round - 1 : round)[0];
        return (before + rounds.get(round + 1)[0]) / 2;
    }

    /** Returns whether no turn of a pair was long enough for its calls. */
    public boolean isEmpty(int pair) {
        return rounds.stream().allMatch(each -> Double.isNaN(each[pair]));
    }
}
