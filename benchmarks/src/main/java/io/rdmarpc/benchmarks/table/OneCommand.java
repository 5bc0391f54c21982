package io.rdmarpc.benchmarks.table;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A command that needs no server, or starts its second process itself: the number is a word of its line. */
final class OneCommand implements Meter {

    private static final int PROBE_COLUMN = 2;

    private final BenchmarkProcess process;
    private final int column;

    /** Starts a bare program, which prints {@code name value unit}. */
    static OneCommand probe(String name, int iterations, String... more) throws IOException {
        List<String> words = new ArrayList<>(List.of("probe", name, "-n", Integer.toString(iterations)));
        words.addAll(List.of(more));
        return new OneCommand(PROBE_COLUMN, words);
    }

    /**
     * Starts it.
     *
     * @param column which word of the line, from 1
     */
    OneCommand(int column, List<String> words) throws IOException {
        this.column = column;
        List<String> all = new ArrayList<>(words);
        all.add("--on-demand");
        process = BenchmarkProcess.start(true, all);
    }

    @Override
    public double measure() throws IOException {
        process.order();
        return number(process.line(), column);
    }

    static double number(String line, int column) {
        return Double.parseDouble(line.strip().split("\\s+", -1)[column - 1]);
    }

    @Override
    public void close() throws IOException {
        process.close();
    }
}
