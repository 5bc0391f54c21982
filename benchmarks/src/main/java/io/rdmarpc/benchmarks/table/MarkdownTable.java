package io.rdmarpc.benchmarks.table;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A table in Markdown. It omits columns with only dashes and aligns columns of numbers to the right. */
public final class MarkdownTable {

    /** Cell without a value. */
    public static final String NONE = "-";

    private final List<String> header;
    private final List<List<String>> rows = new ArrayList<>();

    /**
     * Creates an empty table.
     *
     * @param header titles of the columns
     */
    public MarkdownTable(String... header) {
        this.header = List.of(header);
    }

    /**
     * Adds a row.
     *
     * @param cells a cell for each column
     */
    public void add(String... cells) {
        rows.add(List.of(cells));
    }

    @Override
    public String toString() {
        int[] shown = IntStream.range(0, header.size())
                .filter(column -> !rows.stream().allMatch(row -> row.get(column).equals(NONE)))
                .toArray();
        String rule = IntStream.of(shown)
                .mapToObj(column -> isNumeric(column) ? "--:|" : "---|")
                .collect(Collectors.joining());
        return line(header, shown) + "|" + rule + "\n"
                + rows.stream().map(row -> line(row, shown)).collect(Collectors.joining());
    }

    private boolean isNumeric(int column) {
        return rows.stream().allMatch(row -> row.get(column).matches("-|-?\\d[-\\d. \\[\\]kM]*( ?[^ ]+)?"));
    }

    private static String line(List<String> cells, int... shown) {
        return IntStream.of(shown).mapToObj(cells::get).collect(Collectors.joining(" | ", "| ", " |\n"));
    }
}
