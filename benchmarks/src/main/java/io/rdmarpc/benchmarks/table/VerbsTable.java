package io.rdmarpc.benchmarks.table;

import io.rdmarpc.benchmarks.Commands;
import io.rdmarpc.benchmarks.Environment;
import io.rdmarpc.benchmarks.TableOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints how fast the software RNIC is, beside bare programs that do the same work without it. */
@Command(
        name = "benchmarks/run verbs",
        description = "the software RNIC between two processes of this host, beside bare programs: a table in Markdown",
        mixinStandardHelpOptions = true)
public final class VerbsTable implements Callable<Integer> {

    @Option(
            names = "--runs",
            description = "how often each is measured, ours and the probe in turn (default ${DEFAULT-VALUE})")
    private int runs = 5;

    @Option(names = "--only", description = "rows whose name matches this regular expression")
    private Pattern only = Pattern.compile("");

    @Mixin
    private TableOptions options = new TableOptions();

    @Option(
            names = "--share",
            description = "divides all counts, to see whether the rows run at all: the numbers mean nothing then")
    private int share = 1;

    @Spec
    private CommandSpec spec = CommandSpec.create();

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
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter log = spec.commandLine().getErr();
        out.println(Environment.text(options.commit()));
        out.println("| measure | ours, median [least-most] | probe | ratio | goal | met? | others |\n"
                + "|---|--:|--:|--:|---|---|--:|");
        out.flush();
        int missed = 0;
        for (Row row : new VerbsRows(share).all()) {
            if (only.matcher(row.title()).find()) {
                missed += row.measure(runs, out, log) ? 0 : 1;
                out.flush();
            }
        }
        return options.status(missed);
    }
}
