package io.rdmarpc.benchmarks.harness;

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

/** A command that measures. It writes CSV files as it goes, and draws the report from them at the end. */
abstract class MeasuringCommand implements Callable<Integer> {

    @Option(
            names = "--out",
            description =
                    "directory of the CSV files and the report (default: benchmarks/target and this command's name)")
    private Path out = Path.of("");

    @Option(names = "--strict", description = "exit status 1 if a goal is missed")
    private boolean strict;

    @Option(names = "--commit", hidden = true)
    private String commit = "unknown";

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** Measures, and writes CSV files by {@link #write}. */
    abstract void measure() throws Exception;

    /** Checks arguments that depend on each other. */
    void check() {}

    @Override
    public final Integer call() throws Exception {
        check();
        if (out.toString().isEmpty()) {
            out = Path.of(System.getProperty("benchmarks.root", "."), "benchmarks", "target", name());
        }
        Files.createDirectories(out);
        for (String file : List.of(Environment.FILE, Comparison.FILE, MeasurementsTable.FILE, ProfileTables.FILE)) {
            Files.deleteIfExists(out.resolve(file));
        }
        Environment.write(out.resolve(Environment.FILE), commit);
        measure();
        long missed = Report.draw(out, spec.commandLine().getOut(), log());
        return strict && missed > 0 ? 1 : 0;
    }

    /** Appends a setting to those that the report begins with. */
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

    /** Progress is reported here, on standard error. */
    final PrintWriter log() {
        return spec.commandLine().getErr();
    }

    final ParameterException reject(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
