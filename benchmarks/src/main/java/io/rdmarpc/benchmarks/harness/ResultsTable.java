package io.rdmarpc.benchmarks.harness;

import io.rdmarpc.benchmarks.Median;
import io.rdmarpc.benchmarks.table.CsvRow;
import io.rdmarpc.benchmarks.table.MarkdownTable;
import io.rdmarpc.benchmarks.table.Numbers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Tables of the comparisons in {@code results.csv}: a table for each section, a row for each comparison. */
final class ResultsTable {

    private final Map<Comparison, List<CsvRow>> rounds = new LinkedHashMap<>();

    ResultsTable(List<CsvRow> results) {
        results.forEach(row -> rounds.computeIfAbsent(Comparison.of(row), each -> new ArrayList<>())
                .add(row));
    }

    long missed() {
        return rounds.entrySet().stream()
                .filter(each -> verdict(each.getKey(), each.getValue()).equals(Goal.MISSED))
                .count();
    }

    /** Returns the verdict, by the median of the rounds' ratios, which differs from the ratio of the medians. */
    static String verdict(Comparison comparison, List<CsvRow> measured) {
        return new Goal(comparison.goal())
                .verdict(Median.of(ratios(measured)), Median.of(column(measured, Comparison.OURS)));
    }

    /** Returns the ratios of the rounds that have both figures. */
    static double[] ratios(List<CsvRow> rounds) {
        return Numbers.present(rounds.stream()
                .mapToDouble(row -> row.number(Comparison.OURS) / row.number(Comparison.PEER))
                .toArray());
    }

    private static double[] column(List<CsvRow> rounds, String name) {
        return Numbers.present(
                rounds.stream().mapToDouble(row -> row.number(name)).toArray());
    }

    @Override
    public String toString() {
        Map<String, MarkdownTable> tables = new LinkedHashMap<>();
        rounds.forEach((comparison, measured) -> {
            String spread = measured.size() <= Numbers.FEW ? ", median [least-most]" : ", median [its 95 % interval]";
            tables.computeIfAbsent(
                            comparison.section(),
                            section -> new MarkdownTable(
                                    "#",
                                    "measure",
                                    "call mode: API; dispatch; polling thread",
                                    "ours" + spread,
                                    "compared with" + spread,
                                    "ratio" + spread,
                                    "goal",
                                    "met?",
                                    "others"))
                    .add(
                            comparison.id(),
                            comparison.measure(),
                            comparison.mode(),
                            figure(comparison, comparison.ours(), column(measured, Comparison.OURS)),
                            figure(comparison, comparison.peer(), column(measured, Comparison.PEER)),
                            comparison.peer().equals(Comparison.NONE) ? "-" : Numbers.spread(ratios(measured), ""),
                            comparison.goal(),
                            verdict(comparison, measured),
                            Numbers.percent(most(column(measured, Comparison.OTHERS))));
        });
        StringBuilder text = new StringBuilder();
        tables.forEach((section, table) ->
                text.append("\n## ").append(section).append("\n\n").append(table));
        return text.toString();
    }

    private static double most(double... values) {
        return Arrays.stream(values).max().orElse(Double.NaN);
    }

    private static String figure(Comparison comparison, String label, double... values) {
        if (label.equals(Comparison.NONE)) {
            return label;
        }
        return (label.isEmpty() ? "" : label + ": ") + Numbers.spread(values, comparison.unit());
    }
}
