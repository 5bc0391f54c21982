package io.rdmarpc.benchmarks.table;

import io.rdmarpc.benchmarks.Commands;
import io.rdmarpc.benchmarks.memory.AwaitedReads;
import io.rdmarpc.benchmarks.memory.BareReads;
import io.rdmarpc.benchmarks.memory.ChainedReads;
import io.rdmarpc.benchmarks.memory.Reads;
import java.util.List;
import java.util.function.Supplier;
import picocli.CommandLine.Command;

/** Prints how fast regions of remote memory are read, beside READs of bare verbs. */
@Command(
        name = "benchmarks/run memory",
        description = "READs of 1 MiB from remote memory, beside those of bare verbs: a table in Markdown",
        mixinStandardHelpOptions = true)
public final class MemoryTable extends Table {

    private static final int COUNT = 4000;

    MemoryTable() {}

    /**
     * Prints the table.
     *
     * @param arguments {@code --help} lists them
     */
    public static void main(String... arguments) {
        System.exit(Commands.run(new MemoryTable(), arguments));
    }

    @Override
    List<Row> rows(int divisor) {
        int count = Math.max(1, COUNT / divisor);
        return List.of(
                chained("shared memory", true, count),
                chained("UDP", false, count),
                awaited("shared memory", true, count));
    }

    private static Row chained(String link, boolean sharedMemory, int count) {
        String title = "each started by the end of another, " + link;
        return row(title, Goal.ratioAtLeast(0.9), () -> new ChainedReads(sharedMemory), sharedMemory, count);
    }

    private static Row awaited(String link, boolean sharedMemory, int count) {
        String title = "by a thread that waits for them, " + link;
        return row(title, Goal.NONE, () -> new AwaitedReads(sharedMemory), sharedMemory, count);
    }

    private static Row row(String title, Goal goal, Supplier<Reads> ours, boolean sharedMemory, int count) {
        return new Row(
                "1 MiB READs, " + Reads.AT_A_TIME + " outstanding, " + title,
                "GB/s",
                goal,
                () -> meter(ours, count),
                () -> meter(() -> new BareReads(sharedMemory), count),
                "verbs");
    }

    private static Meter meter(Supplier<Reads> open, int count) {
        Reads reads = open.get();
        return new Meter() {

            @Override
            public double measure() {
                return reads.measure(count);
            }

            @Override
            public void close() {
                reads.close();
            }
        };
    }
}
