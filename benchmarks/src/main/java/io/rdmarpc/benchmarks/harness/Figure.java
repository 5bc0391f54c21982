package io.rdmarpc.benchmarks.harness;

import io.rdmarpc.benchmarks.table.CsvRow;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A figure of one round.
 *
 * @param needs alternatives, of which the larger figure counts
 * @param minus figures that are subtracted; empty if there are none
 * @param metric name of the metric of calls; empty for a program, which prints one figure
 */
record Figure(List<Need> needs, List<Need> minus, String metric) {

    /** Parses needs that are separated by {@code |}. */
    static Figure of(String needs, String minus, String metric) {
        return new Figure(needs(needs), needs(minus), metric);
    }

    private static List<Need> needs(String text) {
        return Arrays.stream(text.split("\\|", -1))
                .filter(each -> !each.isEmpty())
                .map(Need::new)
                .toList();
    }

    Stream<Need> all() {
        return Stream.concat(needs.stream(), minus.stream());
    }

    private static String of(Need need, Map<String, CsvRow> programs, String column) {
        return Objects.requireNonNull(programs.get(need.program())).text(column);
    }

    String unit(Map<String, CsvRow> programs) {
        Need first = needs.getFirst();
        return first.isProgram()
                ? of(first, programs, "unit")
                : Metric.valueOf(metric).unit();
    }

    String mode(Map<String, CsvRow> programs) {
        Need first = needs.getFirst();
        return first.isProgram()
                ? of(first, programs, "mode")
                : first.peer()
                        .mode(first.cell().payload(), first.cell().callers())
                        .toString();
    }

    /** Returns the label of the figure, or a dash if there is no need. */
    String label(Map<String, CsvRow> programs) {
        if (needs.isEmpty()) {
            return Comparison.NONE;
        }
        return (needs.size() > 1 ? "the better of " : "")
                + labels(needs, " and ", programs)
                + (minus.isEmpty() ? "" : " less " + labels(minus, " less ", programs));
    }

    private static String labels(List<Need> needs, String between, Map<String, CsvRow> programs) {
        return needs.stream()
                .map(need -> need.isProgram()
                        ? of(need, programs, "label")
                        : need.peer().toString())
                .collect(Collectors.joining(between));
    }

    /** Returns the figure of a round, or NaN if one of its parts was not measured. */
    double value(RoundResults results, int round) {
        double larger = needs.stream()
                .mapToDouble(need -> results.value(need, round, metric))
                .reduce(Math::max)
                .orElse(Double.NaN);
        return larger
                - minus.stream()
                        .mapToDouble(need -> results.value(need, round, metric))
                        .sum();
    }
}
