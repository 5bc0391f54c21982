package io.rdmarpc.benchmarks.profile;

import io.rdmarpc.benchmarks.table.CsvRow;
import io.rdmarpc.benchmarks.table.MarkdownTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Tables of {@code profile.csv}: shares of the CPU time samples, by process, by thread and by method. */
public final class ProfileTables {

    /** Name of the file whose lines are threads and methods with their samples. */
    public static final String FILE = "profile.csv";

    private static final int MOST_ROWS = 30;
    private static final String ITSELF = "itself";
    private static final String WITH_CALLEES = "with_callees";

    private final Map<String, List<CsvRow>> processes;

    /**
     * Creates the tables.
     *
     * @param rows lines of the file, of any number of processes
     */
    public ProfileTables(List<CsvRow> rows) {
        processes = rows.stream()
                .collect(Collectors.groupingBy(row -> row.text("process"), LinkedHashMap::new, Collectors.toList()));
    }

    static CsvRow row(String process, String kind, String name, int itself, double withCallees) {
        return CsvRow.of("process", process, "kind", kind, "name", name, ITSELF, itself, WITH_CALLEES, withCallees);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        processes.forEach((process, rows) -> {
            double samples = total(rows, "thread");
            text.append("\n## ").append(process).append("\n\n");
            if (samples == 0) {
                text.append("There are no samples: sampling needs JDK 25 or newer on Linux.\n");
                return;
            }
            text.append(String.format(
                            Locale.ROOT, "%.0f CPU time samples, %.0f lost.%n%n", samples, total(rows, "lost")))
                    .append(table(rows, "thread", ITSELF, samples))
                    .append('\n')
                    .append(table(rows, "method", ITSELF, samples))
                    .append('\n')
                    .append(table(rows, "method", WITH_CALLEES, samples));
        });
        return text.toString();
    }

    private static double total(List<CsvRow> rows, String kind) {
        return rows.stream()
                .filter(row -> row.text("kind").equals(kind))
                .mapToDouble(row -> row.number(ITSELF))
                .sum();
    }

    /** Returns a table of the rows with the most samples, ordered by one of the two columns. */
    private static MarkdownTable table(List<CsvRow> rows, String kind, String order, double samples) {
        MarkdownTable table = new MarkdownTable(
                kind + (order.equals(ITSELF) ? ", by samples of itself" : ", by samples with callees"),
                "itself",
                "with callees");
        rows.stream()
                .filter(row -> row.text("kind").equals(kind))
                .sorted((a, b) -> Double.compare(b.number(order), a.number(order)))
                .limit(MOST_ROWS)
                .forEach(row ->
                        table.add(row.text("name"), share(row, ITSELF, samples), share(row, WITH_CALLEES, samples)));
        return table;
    }

    private static String share(CsvRow row, String column, double samples) {
        double count = row.number(column);
        return Double.isNaN(count) ? "-" : String.format(Locale.ROOT, "%.1f %%", 100 * count / samples);
    }
}
