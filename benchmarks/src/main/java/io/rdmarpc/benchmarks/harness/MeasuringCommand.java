package io.rdmarpc.benchmarks.harness;

import io.rdmarpc.benchmarks.profile.ProfileTables;
import io.rdmarpc.benchmarks.table.CsvRow;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * A command that measures. It writes CSV files during the measurement and generates the report from them at the end.
 */
abstract class MeasuringCommand implements Callable<Integer> {

    @Option(
            names = "--out",
            description = "directory for the CSV files and the report (default: benchmarks/target/<command>)")
    private Path out = Path.of("");

    @Option(names = "--strict", description = "use exit status 1 if a goal is missed")
    private boolean strict;

    @Option(names = "--commit", hidden = true)
    private String commit = "unknown";

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** Measures and writes CSV files by {@link #write}. */
    abstract void measure() throws Exception;

    /** Checks combinations of arguments. */
    void check() {}

    @Override
    public final Integer call() throws Exception {
        check();
        if (out.toString().isEmpty()) {
            out = Path.of(System.getProperty("benchmarks.root", "."), "benchmarks", "target", name());
        }
        Files.createDirectories(out);
        for (String file : List.of(
                Environment.FILE,
                Comparison.FILE,
                MeasurementsTable.FILE,
                ProfileTables.FILE,
                ScaleTable.FILE,
                SessionsCommand.FILE)) {
            Files.deleteIfExists(out.resolve(file));
        }
        Environment.write(out.resolve(Environment.FILE), commit);
        measure();
        long missed = Report.draw(out, spec.commandLine().getOut(), log());
        return strict && missed > 0 ? 1 : 0;
    }

    /** Appends a setting to those at the beginning of the report. */
    final void describe(String name, String value) throws IOException {
        write(Environment.FILE, CsvRow.of("name", name, "value", value));
    }

    final void write(String file, CsvRow row) throws IOException {
        row.appendTo(out.resolve(file));
    }

    /** Returns the name of this command. */
    final String name() {
        return spec.name();
    }

    final Path out() {
        return out;
    }

    /** Returns the writer for progress messages, which is standard error. */
    final PrintWriter log() {
        return spec.commandLine().getErr();
    }

    final ParameterException reject(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
