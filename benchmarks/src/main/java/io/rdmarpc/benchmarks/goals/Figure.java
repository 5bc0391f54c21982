package io.rdmarpc.benchmarks.goals;

import io.rdmarpc.benchmarks.peer.Peers;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleBinaryOperator;

/**
 * A number that a row compares: one for each round.
 *
 * @param label whose it is, for the table
 * @param mode how calls are made: API, dispatch, who polls
 * @param unit of the number
 * @param needs what has to be measured for it
 * @param value takes it from what was measured
 */
record Figure(String label, String mode, String unit, List<Need> needs, Value value) {

    /** Not a number where something is missing. */
    @FunctionalInterface
    interface Value {
        double in(Results results, int round);
    }

    static Figure of(Metric metric, Peers peer, Task task) {
        Need.Calls need = new Need.Calls(peer, task);
        // A pace has to be known first.
        List<Need> needs = task.circumstances() == Task.Circumstances.PACED ? List.of(Goals.PACE, need) : List.of(need);
        return new Figure(
                peer.toString(),
                need.mode().toString(),
                metric.unit(),
                needs,
                (results, round) -> results.metric(need, round, metric));
    }

    /** What a program prints, times a factor. */
    static Figure of(String label, String mode, String unit, double factor, Need.Program program) {
        return new Figure(
                label, mode, unit, List.of(program), (results, round) -> factor * results.printed(program, round));
    }

    Figure minus(Figure other) {
        return with(label + " less " + other.label, other, (a, b) -> a - b);
    }

    Figure orMore(Figure other) {
        return with("the better of " + label + " and " + other.label, other, Math::max);
    }

    private Figure with(String newLabel, Figure other, DoubleBinaryOperator operator) {
        List<Need> both = new ArrayList<>(needs);
        both.addAll(other.needs);
        return new Figure(
                newLabel,
                mode,
                unit,
                both,
                (results, round) -> operator.applyAsDouble(value.in(results, round), other.value.in(results, round)));
    }

    /** Median, least and most of the rounds that have it. */
    String spread(Results results) {
        return Numbers.spread(values(results), unit);
    }

    double[] values(Results results) {
        double[] values = new double[results.rounds()];
        for (int round = 0; round < values.length; round++) {
            values[round] = value.in(results, round);
        }
        return values;
    }

    /** To another of the same round, for each round that has both. */
    double[] ratios(Figure other, Results results) {
        double[] ratios = values(results);
        double[] others = other.values(results);
        for (int round = 0; round < ratios.length; round++) {
            ratios[round] /= others[round];
        }
        return Numbers.present(ratios);
    }
}
