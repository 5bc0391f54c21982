package io.rdmarpc.benchmarks.table;

import java.io.IOException;
import java.util.List;

/** A command that measures one thing, once: the number is a word of its last line. */
final class Once implements Meter {

    private final BenchmarkProcess process;
    private final int column;

    /**
     * Starts it.
     *
     * @param column which word of the line, from 1
     */
    Once(int column, List<String> words) throws IOException {
        this.column = column;
        this.process = BenchmarkProcess.start(true, words);
    }

    @Override
    public double measure() throws IOException {
        return OneCommand.number(process.lastLine(), column);
    }

    @Override
    public void close() throws IOException {
        process.close();
    }
}
