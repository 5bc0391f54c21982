package io.rdmarpc.benchmarks.table;

import io.rdmarpc.benchmarks.Commands;
import java.util.List;
import picocli.CommandLine.Command;

/** Prints how fast calls on bytes are, beside bare programs that do the same work without an engine. */
@Command(
        name = "benchmarks/run engine",
        description =
                "the RPC engine between two processes over shared memory, beside bare programs: a table in Markdown",
        mixinStandardHelpOptions = true)
public final class EngineTable extends Table {

    EngineTable() {}

    /**
     * Prints the table.
     *
     * @param arguments {@code --help} lists them
     */
    public static void main(String... arguments) {
        System.exit(Commands.run(new EngineTable(), arguments));
    }

    @Override
    List<Row> rows(int divisor) {
        return new EngineRows(divisor).all();
    }
}
