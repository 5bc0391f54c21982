package io.rdmarpc.benchmarks.table;

import io.rdmarpc.benchmarks.Commands;
import java.util.List;
import picocli.CommandLine.Command;

/** Prints how fast the software RNIC is, beside bare programs that do the same work without it. */
@Command(
        name = "benchmarks/run verbs",
        description = "the software RNIC between two processes of this host, beside bare programs: a table in Markdown",
        mixinStandardHelpOptions = true)
public final class VerbsTable extends Table {

    VerbsTable() {}

    /**
     * Prints the table.
     *
     * @param arguments {@code --help} lists them
     */
    public static void main(String... arguments) {
        System.exit(Commands.run(new VerbsTable(), arguments));
    }

    @Override
    List<Row> rows(int divisor) {
        return new VerbsRows(divisor).all();
    }
}
