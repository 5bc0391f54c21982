package io.rdmarpc.benchmarks.harness;

import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/** What was measured, by need and round. Figures of one round are of the same minutes: none is measured again. */
final class RoundResults {

    /** Name of the cell with what a program has printed. */
    static final String VALUE = "value";

    private record Key(Need need, int round) {}

    private final Map<Key, CsvRow> rows = new HashMap<>();

    void add(Need need, int round, CsvRow row) {
        if (rows.putIfAbsent(new Key(need, round), row) != null) {
            throw new IllegalStateException(
                    need + " has been measured in round " + round + " already: measure it once a round");
        }
    }

    boolean has(Need need) {
        return rows.keySet().stream().anyMatch(key -> key.need.equals(need));
    }

    /** Returns a figure, not a number if it was not measured. */
    double value(Need need, int round, String metric) {
        CsvRow row = rows.get(new Key(need, round));
        if (row == null) {
            return Double.NaN;
        }
        return need.isProgram() ? row.number(VALUE) : Metric.valueOf(metric).of(row);
    }

    /** Returns the most that other programs used while one of the needs was measured, not a number if none was. */
    double others(Stream<Need> needs, int round) {
        return needs.map(need -> rows.get(new Key(need, round)))
                .filter(row -> row != null)
                .mapToDouble(row -> row.number(Comparison.OTHERS))
                .max()
                .orElse(Double.NaN);
    }
}
