package io.rdmarpc.benchmarks.turns;

import io.rdmarpc.benchmarks.Commands;
import io.rdmarpc.benchmarks.Environment;
import io.rdmarpc.benchmarks.Median;
import io.rdmarpc.benchmarks.TableOptions;
import io.rdmarpc.benchmarks.load.Payload;
import io.rdmarpc.benchmarks.peer.Peers;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Lets pairs of processes make calls in turns of some milliseconds, one caller each, and prints what a call takes beside the first
 * one's, as a table in Markdown.
 */
@Command(
        name = "turns",
        description = "what a call takes, of pairs that take turns of some milliseconds: a Markdown table",
        mixinStandardHelpOptions = true)
public final class TurnsTable implements Callable<Integer> {

    // A session ends after three seconds without a heartbeat.
    private static final long ALIVE_MILLIS = 30;
    private static final long PAUSE_MILLIS = 300;
    private static final int MOST = 16;

    @Parameters(
            arity = "1..*",
            paramLabel = "WHO[@DIRECTORY]",
            converter = Turner.Converter.class,
            description = "the first is what the others are compared with; of another build, the directory where its"
                    + " benchmarks.jar and lib were copied to")
    private List<Turner> turners = List.of();

    @Option(names = "--payload", description = "${COMPLETION-CANDIDATES} (default ${DEFAULT-VALUE})")
    private Payload payload = Payload.B32;

    @Option(names = "--seconds", description = "of all turns together (default ${DEFAULT-VALUE})")
    private double seconds = 60;

    @Option(names = "--turn-millis", description = "of a turn, of which 8 do not count (default ${DEFAULT-VALUE})")
    private long turnMillis = 25;

    @Option(names = "--warm-up", description = "seconds in which a pair runs before (default ${DEFAULT-VALUE})")
    private double warmUp = 12;

    @Option(
            names = "--near-ns",
            description = "what a flag takes there and back at most while CPUs are near (default ${DEFAULT-VALUE})")
    private double nearNanos = 200;

    @Mixin
    private TableOptions options = new TableOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private final List<TurningPair> pairs = new CopyOnWriteArrayList<>();

    /** Makes the command with its defaults. */
    public TurnsTable() {}

    /**
     * Prints the table.
     *
     * @param arguments {@code --help} lists them
     */
    public static void main(String... arguments) {
        System.exit(Commands.run(new TurnsTable(), arguments));
    }

    @Override
    public Integer call() throws Exception {
        if (turners.size() > MOST) {
            throw new ParameterException(
                    spec.commandLine(),
                    turners.size() + " pairs: " + MOST + " at most, so that each is often enough its turn");
        }
        for (Turner turner : turners) {
            if (!Peers.valueOf(turner.name()).carries(payload)) {
                throw new ParameterException(
                        spec.commandLine(), turner.name() + " does not carry --payload " + payload.name());
            }
        }
        out().println(Environment.text(options.commit()));
        Thread end = new Thread(() -> pairs.forEach(TurningPair::destroy));
        Runtime.getRuntime().addShutdownHook(end);
        try {
            for (Turner turner : turners) {
                start(turner);
            }
            start(Turner.FLAG);
            print(takeTurns());
        } finally {
            for (TurningPair pair : pairs) {
                pair.close();
            }
            Runtime.getRuntime().removeShutdownHook(end);
        }
        return 0;
    }

    /** The pairs that are there already go on for a moment now and then, so that their sessions live. */
    private void start(Turner turner) throws Exception {
        FutureTask<TurningPair> starting = new FutureTask<>(() -> {
            TurningPair pair = TurningPair.start(turner, payload);
            Thread.sleep((long) (warmUp * 1000));
            pair.stop();
            return pair;
        });
        Thread.ofPlatform().daemon().start(starting);
        while (!starting.isDone()) {
            pairs.forEach(TurningPair::goOn);
            Thread.sleep(ALIVE_MILLIS);
            pairs.forEach(TurningPair::stop);
            Thread.sleep(PAUSE_MILLIS);
        }
        try {
            pairs.add(starting.get());
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException cause ? cause : e;
        }
        spec.commandLine().getErr().println(turner + " is warm");
    }

    private Turns takeTurns() throws IOException, InterruptedException {
        Turns turns = new Turns(nearNanos);
        long end = System.nanoTime() + (long) (seconds * 1e9);
        do {
            double[] nanos = new double[pairs.size()];
            for (int i = 0; i < nanos.length; i++) {
                nanos[i] = pairs.get(i).turn(turnMillis);
            }
            turns.add(Arrays.copyOf(nanos, turners.size()), nanos[turners.size()]);
        } while (System.nanoTime() - end < 0);
        return turns;
    }

    private void print(Turns turns) {
        out().println("- Turns: " + turnMillis + " ms each for " + seconds + " s, " + payload + ", one caller");
        for (boolean near : List.of(true, false)) {
            int[] rounds = turns.rounds(near);
            if (rounds.length < Turns.FEWEST) {
                continue;
            }
            out().printf(
                            Locale.ROOT,
                            "%n%s: %d rounds in which a flag took %.0f ns there and back%n%n",
                            near ? "CPUs near each other" : "CPUs far from each other",
                            rounds.length,
                            Median.of(turns.flag(rounds)));
            out().printf(
                            "| who | a call, median | beside the first, median [quartiles] | beside the flag |%n|---|--:|--:|--:|%n");
            for (int i = 0; i < turners.size(); i++) {
                out().println(row(turns, rounds, i));
            }
        }
        out().flush();
    }

    private String row(Turns turns, int[] rounds, int who) {
        double nanos = Median.of(turns.nanos(rounds, who));
        double[] ratios = turns.ratios(rounds, who);
        Arrays.sort(ratios);
        String beside = ratios.length == 0
                ? "-"
                : String.format(
                        Locale.ROOT,
                        "%.3f [%.3f-%.3f]",
                        Median.of(ratios),
                        ratios[ratios.length / 4],
                        ratios[ratios.length * 3 / 4]);
        return String.format(
                Locale.ROOT,
                "| %s | %.0f ns | %s | %.2f |",
                turners.get(who),
                nanos,
                beside,
                nanos / Median.of(turns.flag(rounds)));
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
