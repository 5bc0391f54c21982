package io.rdmarpc.benchmarks.harness;

import io.rdmarpc.benchmarks.Commands;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

/** A completed run of {@code benchmarks/run}. */
record HarnessRun(int status, String out, String errors) {

    static HarnessRun of(Path directory, String command, String... words) {
        return run(Stream.concat(
                        Stream.concat(Stream.of(command), Arrays.stream(words)),
                        Stream.of("--out", directory.toString()))
                .toArray(String[]::new));
    }

    static HarnessRun report(Path directory) {
        return run("report", directory.toString());
    }

    private static HarnessRun run(String... words) {
        StringWriter out = new StringWriter();
        StringWriter errors = new StringWriter();
        int status = Commands.run(
                Harness.commands().setOut(new PrintWriter(out, true)).setErr(new PrintWriter(errors, true)), words);
        return new HarnessRun(status, out.toString(), errors.toString());
    }

    /** Returns the table rows that contain a text. */
    String row(String text) {
        return out.lines()
                .filter(line -> line.startsWith("|") && line.contains(text))
                .findFirst()
                .orElse("no row with " + text + " in:\n" + out + errors);
    }
}
