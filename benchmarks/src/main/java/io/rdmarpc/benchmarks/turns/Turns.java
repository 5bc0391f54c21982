package io.rdmarpc.benchmarks.turns;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What all turns gave. A round has one turn of each; it counts as near or far when the flag was so in it, in the one before and in the
 * one after.
 */
final class Turns {

    /** Of fewer rounds nothing is said. */
    static final int FEWEST = 8;

    private final double nearNanos;
    private final List<double[]> rounds = new ArrayList<>();
    private final List<Double> flags = new ArrayList<>();

    /**
     * Begins with none.
     *
     * @param nearNanos what a flag takes there and back at most while the CPUs are near each other
     */
    Turns(double nearNanos) {
        this.nearNanos = nearNanos;
    }

    /** A round: what a call took of each, in nanoseconds, and the flag; not a number where it is not known. */
    void add(double[] nanos, double flagNanos) {
        rounds.add(nanos.clone());
        flags.add(flagNanos);
    }

    /** Rounds that were all near, or all far. */
    int[] rounds(boolean near) {
        return IntStream.range(1, Math.max(1, rounds.size() - 1))
                .filter(i -> is(i - 1, near) && is(i, near) && is(i + 1, near))
                .toArray();
    }

    private boolean is(int round, boolean near) {
        double flag = flags.get(round);
        return !Double.isNaN(flag) && (flag <= nearNanos) == near;
    }

    /** What the flag took in those rounds. */
    double[] flag(int[] chosen) {
        return Arrays.stream(chosen).mapToDouble(flags::get).toArray();
    }

    /** What a call of one took in those rounds. */
    double[] nanos(int[] chosen, int who) {
        return Arrays.stream(chosen)
                .mapToDouble(i -> rounds.get(i)[who])
                .filter(value -> !Double.isNaN(value))
                .toArray();
    }

    /** The same, as parts of what the first took before and after it. */
    double[] ratios(int[] chosen, int who) {
        return Arrays.stream(chosen)
                .mapToDouble(i -> rounds.get(i)[who] / first(i, who))
                .filter(value -> !Double.isNaN(value))
                .toArray();
    }

    /** The first's turns on either side; of its own there are those of the rounds before and after. */
    private double first(int round, int who) {
        double before = rounds.get(who == 0 ? round - 1 : round)[0];
        return (before + rounds.get(round + 1)[0]) / 2;
    }
}
