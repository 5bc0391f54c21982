package io.rdmarpc.benchmarks.harness;

import io.rdmarpc.benchmarks.table.CsvRow;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Measured figures by need and round. Each need is measured once per round, so that all figures of a round are from the
 * same minutes.
 */
final class RoundResults {

    /** Name of the cell with the figure that a program printed. */
    static final String VALUE = "value";

    private record Key(Need need, int round) {}

    private final Map<Key, CsvRow> rows = new HashMap<>();

    void add(Need need, int round, CsvRow row) {
        if (rows.putIfAbsent(new Key(need, round), row) != null) {
            throw new IllegalStateException(
                    need + " was already measured in round " + round + ": measure each need once per round");
        }
    }

    boolean has(Need need) {
        return rows.keySet().stream().anyMatch(key -> key.need.equals(need));
    }

    /** Returns a figure, or NaN if it was not measured. */
    double value(Need need, int round, String metric) {
        CsvRow row = rows.get(new Key(need, round));
        if (row == null) {
            return Double.NaN;
        }
        return need.isProgram() ? row.number(VALUE) : Metric.valueOf(metric).of(row);
    }

    /**
     * Returns the maximum share of CPU that other programs used during one of the needs, or NaN if none was measured.
     */
    double others(Stream<Need> needs, int round) {
        return needs.map(need -> rows.get(new Key(need, round)))
                .filter(row -> row != null)
                .mapToDouble(row -> row.number(Comparison.OTHERS))
                .max()
                .orElse(Double.NaN);
    }
}
