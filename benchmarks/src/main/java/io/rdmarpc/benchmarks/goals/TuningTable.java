package io.rdmarpc.benchmarks.goals;

import io.rdmarpc.benchmarks.Commands;
import io.rdmarpc.benchmarks.Environment;
import io.rdmarpc.benchmarks.TableOptions;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures what settings do, each beside the default in the same rounds, and prints a table in Markdown. */
@Command(
        name = "benchmarks/run tuning",
        description = "calls with a setting beside the same calls without it: a table in Markdown",
        mixinStandardHelpOptions = true)
public final class TuningTable implements Callable<Integer> {

    @Option(names = "--rounds", description = "how often each is measured, in turn (default ${DEFAULT-VALUE})")
    private int rounds = 3;

    @Option(names = "--seconds", description = "of a measurement (default ${DEFAULT-VALUE})")
    private double seconds = 3;

    @Option(
            names = "--warm-up",
            description = "the most seconds for the first kind of call of each pair of processes, a quarter for others;"
                    + " it ends when they get no faster and the compilers rest (default ${DEFAULT-VALUE})")
    private double warmUp = 20;

    @Option(names = "--only", description = "settings whose name matches this regular expression")
    private Pattern only = Pattern.compile("");

    @Mixin
    private TableOptions options = new TableOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    TuningTable() {}

    /**
     * Prints the table.
     *
     * @param arguments {@code --help} lists them
     */
    public static void main(String... arguments) {
        System.exit(Commands.run(new TuningTable(), arguments));
    }

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        out.print(Environment.text(options.commit()));
        out.printf(
                Locale.ROOT,
                "- Rounds: %d, of %s s each, in fresh processes warmed up until they get no faster, for %s s at most%n%n",
                rounds,
                seconds,
                warmUp);
        out.println(Effect.HEADER);
        out.flush();
        for (List<Effect> group : Effects.groups()) {
            print(group.stream()
                    .filter(effect -> only.matcher(effect.setting()).find())
                    .toList());
        }
        return 0;
    }

    private void print(List<Effect> group) {
        Results results = new Results(rounds);
        new Runner(results, warmUp, seconds, spec.commandLine().getErr())
                .measure(
                        group.stream()
                                .flatMap(effect -> effect.needs().stream())
                                .toList(),
                        rounds);
        PrintWriter out = spec.commandLine().getOut();
        group.forEach(effect -> out.println(effect.row(results)));
        out.flush();
    }
}
