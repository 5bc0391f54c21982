package io.rdmarpc.benchmarks.table;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A line of a CSV file (RFC 4180), as text by column. The first line of the file names the columns. Cells have no line
 * breaks.
 *
 * @param cells cells by the names of their columns, in the order of the columns
 */
public record CsvRow(Map<String, String> cells) {

    /** A comma that is followed by an even number of quotes, which is thus outside a quoted cell. */
    private static final Pattern COMMA = Pattern.compile(",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)");

    /**
     * Creates a row. The cell of a NaN stays empty.
     *
     * @param cells names of columns, each followed by its value
     * @return the row
     */
    public static CsvRow of(Object... cells) {
        Map<String, String> row = new LinkedHashMap<>();
        for (int i = 0; i < cells.length; i += 2) {
            row.put(cells[i].toString(), text(cells[i + 1]));
        }
        return new CsvRow(row);
    }

    private static String text(Object value) {
        if (value instanceof Double number) {
            return number.isNaN() ? "" : String.format(Locale.ROOT, "%.6f", number);
        }
        return value.toString();
    }

    /**
     * Reads a file.
     *
     * @param file the file
     * @return its rows; none if the file does not exist
     * @throws IOException if the file cannot be read
     */
    public static List<CsvRow> read(Path file) throws IOException {
        return Files.exists(file) ? parse(Files.readString(file)) : List.of();
    }

    /**
     * Reads a resource.
     *
     * @param owner a class of the resource's package
     * @param name name of the resource
     * @return its rows
     * @throws IOException if the class path has no such resource
     */
    public static List<CsvRow> resource(Class<?> owner, String name) throws IOException {
        try (InputStream in = owner.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException("cannot read table " + name + ": the class path has no such resource");
            }
            return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    private static List<CsvRow> parse(String text) {
        List<String[]> lines = text.lines().map(CsvRow::split).toList();
        String[] header = lines.getFirst();
        return lines.stream()
                .skip(1)
                .map(line -> {
                    Map<String, String> cells = new LinkedHashMap<>();
                    for (int i = 0; i < header.length; i++) {
                        cells.put(header[i], line[i]);
                    }
                    return new CsvRow(cells);
                })
                .toList();
    }

    private static String[] split(String line) {
        return Arrays.stream(COMMA.split(line, -1))
                .map(cell -> cell.startsWith("\"")
                        ? cell.substring(1, cell.length() - 1).replace("\"\"", "\"")
                        : cell)
                .toArray(String[]::new);
    }

    /**
     * Appends this row to a file with the same columns. Writes the names of the columns first if the file is new.
     *
     * @param file the file
     * @throws IOException if the file cannot be written
     */
    public void appendTo(Path file) throws IOException {
        String header = Files.exists(file) ? "" : line(cells.keySet());
        Files.writeString(file, header + line(cells.values()), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private static String line(Collection<String> cells) {
        return cells.stream()
                .map(cell -> cell.contains(",") || cell.contains("\"") ? '"' + cell.replace("\"", "\"\"") + '"' : cell)
                .collect(Collectors.joining(",", "", "\n"));
    }

    /**
     * Returns a cell.
     *
     * @param column name of its column
     * @return its text, or an empty string if the file has no such column
     */
    public String text(String column) {
        return cells.getOrDefault(column, "");
    }

    /**
     * Returns the words of a cell.
     *
     * @param column name of its column
     * @return the words, which blanks separate
     */
    public List<String> words(String column) {
        return List.of(text(column).split(" ", -1));
    }

    /**
     * Returns a cell as a number.
     *
     * @param column name of its column
     * @return the number, or NaN if the cell is empty
     */
    public double number(String column) {
        return text(column).isEmpty() ? Double.NaN : Double.parseDouble(text(column));
    }
}
