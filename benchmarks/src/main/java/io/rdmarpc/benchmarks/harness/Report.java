package io.rdmarpc.benchmarks.harness;

import io.rdmarpc.benchmarks.profile.ProfileTables;
import io.rdmarpc.benchmarks.table.CsvRow;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Generates tables and plots from the CSV files of a directory, which all other commands write. */
@Command(
        description = "generates report.md and plots from the CSV files of another command",
        mixinStandardHelpOptions = true)
final class Report implements Callable<Integer> {

    @Parameters(paramLabel = "DIRECTORY", description = "directory with the CSV files, in which the report is written")
    private Path directory = Path.of("");

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException {
        long _ = draw(directory, spec.commandLine().getOut(), spec.commandLine().getErr());
        return 0;
    }

    /** Writes {@code report.md} and plots, prints {@code report.md}, and returns how many goals were missed. */
    static long draw(Path directory, PrintWriter out, PrintWriter log) throws IOException {
        StringBuilder text = new StringBuilder("# Comparison with peers and bare programs\n\n");
        for (CsvRow row : CsvRow.read(directory.resolve(Environment.FILE))) {
            text.append("- ")
                    .append(row.text("name"))
                    .append(": ")
                    .append(row.text("value"))
                    .append('\n');
        }
        List<CsvRow> comparisons = CsvRow.read(directory.resolve(Comparison.FILE));
        ResultsTable results = new ResultsTable(comparisons);
        List<CsvRow> measurements = CsvRow.read(directory.resolve(MeasurementsTable.FILE));
        List<CsvRow> byThreads = CsvRow.read(directory.resolve(ScaleTable.FILE));
        text.append(results)
                .append(new MeasurementsTable(measurements))
                .append(new ProfileTables(CsvRow.read(directory.resolve(ProfileTables.FILE))))
                .append(new ScaleTable(byThreads));
        Files.writeString(directory.resolve("report.md"), text);
        new OrdersChart(comparisons).write(directory);
        plot(measurements, byThreads, directory, log);
        out.println(text);
        out.println("report written to " + directory);
        out.flush();
        return results.missed();
    }

    /** Draws the plots. Java cannot draw text on a machine without fonts, but the tables do not need it. */
    private static void plot(List<CsvRow> measurements, List<CsvRow> byThreads, Path directory, PrintWriter log)
            throws IOException {
        System.setProperty("java.awt.headless", "true");
        try {
            new Plots(measurements, directory).write();
            new ScalePlot(byThreads, directory).write();
        } catch (RuntimeException | LinkageError | InternalError e) {
            log.println("cannot draw the plots: " + e);
        }
    }
}
