package io.rdmarpc.benchmarks.goals;

import io.rdmarpc.benchmarks.Commands;
import io.rdmarpc.benchmarks.Environment;
import io.rdmarpc.benchmarks.TableOptions;
import io.rdmarpc.benchmarks.load.Pair;
import io.rdmarpc.benchmarks.peer.Libraries;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures this project beside its peers and writes the report. */
@Command(
        name = "peers",
        description = "this project beside what else a user could take: a report in Markdown, CSV and PNG",
        mixinStandardHelpOptions = true)
public final class PeersTable implements Callable<Integer> {

    @Option(names = "--rounds", description = "how often each is measured, in turn (default ${DEFAULT-VALUE})")
    private int rounds = 5;

    @Option(names = "--seconds", description = "of a measurement (default ${DEFAULT-VALUE})")
    private double seconds = 2;

    @Option(
            names = "--warm-up",
            description = "the most seconds for the first kind of call of each pair of processes, a quarter for others;"
                    + " it ends when they get no faster and the compilers rest (default ${DEFAULT-VALUE})")
    private double warmUp = 40;

    @Option(names = "--only", description = "goals whose number matches this regular expression as a whole")
    private Pattern only = Pattern.compile(".*");

    @Option(names = "--out", description = "directory of the report (default ${DEFAULT-VALUE})")
    private Path out = Path.of("benchmarks", "target", "report");

    @Option(
            names = "--matrix",
            description = "rounds of every payload and concurrency with everyone, for tables and plots (default none)")
    private int matrixRounds;

    @Mixin
    private TableOptions options = new TableOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    PeersTable() {}

    /**
     * Measures and writes.
     *
     * @param arguments {@code --help} lists them
     */
    public static void main(String... arguments) {
        System.exit(Commands.run(new PeersTable(), arguments));
    }

    @Override
    public Integer call() throws IOException {
        PrintWriter text = spec.commandLine().getOut();
        String environment = Environment.text(options.commit())
                + String.format(
                        "- Rounds: %d, of %s s each, in fresh processes warmed up until they get no faster, for %s s at most%n",
                        rounds, seconds, warmUp)
                + "- JVM flags of everybody who is measured: `" + Pair.flags() + "`\n"
                + "- Libraries: " + Libraries.text() + "\n";
        List<Goal> goals = Goals.all().stream()
                .filter(goal -> only.matcher(goal.id()).matches())
                .toList();
        Results results = new Results(rounds);
        Results matrix = new Results(matrixRounds);
        Runner runner = new Runner(results, warmUp, seconds, spec.commandLine().getErr());
        Map<String, List<Goal>> groups =
                goals.stream().collect(Collectors.groupingBy(Goal::group, LinkedHashMap::new, Collectors.toList()));
        Report report = new Report(results, matrix, goals, environment);
        for (List<Goal> group : groups.values()) {
            runner.measure(group.stream().flatMap(goal -> goal.needs().stream()).toList(), rounds);
            // Also when what follows is interrupted.
            report.write(out);
        }
        runner.measure(
                Goals.machine().stream()
                        .flatMap(figure -> figure.needs().stream())
                        .filter(need -> !results.has(need))
                        .toList(),
                rounds);
        report.write(out);
        new Runner(matrix, warmUp, seconds, spec.commandLine().getErr()).measure(Matrix.needs(), matrixRounds);
        report.write(out);
        plot(matrix.isEmpty() ? results : matrix);
        text.println(report.markdown());
        text.println("written to " + out);
        text.flush();
        return options.status(goals.stream()
                .filter(goal -> goal.verdict(results).equals("missed"))
                .count());
    }

    /** A machine without fonts has none; the numbers are there. */
    private void plot(Results results) throws IOException {
        System.setProperty("java.awt.headless", "true");
        try {
            new Plots(results, out).write();
        } catch (RuntimeException | LinkageError | InternalError e) {
            spec.commandLine().getErr().println("no plots: " + e);
        }
    }
}
