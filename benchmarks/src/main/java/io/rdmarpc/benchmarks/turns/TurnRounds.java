package io.rdmarpc.benchmarks.turns;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Times of calls in turns. A round has one turn of each pair of processes. It counts as near or far if the flag says so of it, of the round
 * before and of the round after.
 */
public final class TurnRounds {

    private final double nearNanos;
    private final List<double[]> rounds = new ArrayList<>();
    private final List<Double> flags = new ArrayList<>();

    /** Creates a list without rounds. CPUs are near each other if a flag takes at most so long there and back. */
    public TurnRounds(double nearNanos) {
        this.nearNanos = nearNanos;
    }

    /** Adds a round: the time of a call of each pair, and of the flag; not a number if it is unknown. */
    public void add(double[] nanos, double flagNanos) {
        rounds.add(nanos.clone());
        flags.add(flagNanos);
    }

    /** Returns the rounds that have one before and one after. */
    public int[] all() {
        return IntStream.range(1, Math.max(1, rounds.size() - 1)).toArray();
    }

    /** Returns the rounds that were all near, or all far. */
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

    /** Returns the time of a call of a pair in a round. */
    public double nanos(int round, int pair) {
        return rounds.get(round)[pair];
    }

    /** Returns the mean of the first pair's turns on either side. For the first pair itself these are in the neighboring rounds. */
    public double first(int round, int pair) {
        double before = rounds.get(pair == 0 ? round - 1 : round)[0];
        return (before + rounds.get(round + 1)[0]) / 2;
    }

    /** Returns whether no turn of a pair was long enough for its calls. */
    public boolean isEmpty(int pair) {
        return rounds.stream().allMatch(each -> Double.isNaN(each[pair]));
    }
}
