package io.rdmarpc.benchmarks.table;

import io.rdmarpc.benchmarks.Environment;
import io.rdmarpc.benchmarks.TableOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures rows and prints them in Markdown, below where the numbers come from. */
abstract class Table implements Callable<Integer> {

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

    Table() {}

    /**
     * Says what is measured.
     *
     * @param divisor of all counts: 1 to measure, more to see whether it runs at all
     */
    abstract List<Row> rows(int divisor);

    @Override
    public final Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter log = spec.commandLine().getErr();
        out.println(Environment.text(options.commit()));
        out.println("| measure | ours, median [least-most] | probe | ratio | goal | met? | others |\n"
                + "|---|--:|--:|--:|---|---|--:|");
        out.flush();
        int missed = 0;
        for (Row row : rows(share)) {
            if (only.matcher(row.title()).find()) {
                missed += row.measure(runs, out, log) ? 0 : 1;
                out.flush();
            }
        }
        return options.status(missed);
    }
}
