package io.rdmarpc.benchmarks.harness;

import io.rdmarpc.benchmarks.load.BenchmarkOutcome;
import io.rdmarpc.benchmarks.load.Callers;
import io.rdmarpc.benchmarks.load.Cell;
import io.rdmarpc.benchmarks.load.OtherPrograms;
import io.rdmarpc.benchmarks.load.Pair;
import io.rdmarpc.benchmarks.load.Payload;
import io.rdmarpc.benchmarks.peer.Libraries;
import io.rdmarpc.benchmarks.peer.Peers;
import io.rdmarpc.benchmarks.turns.Turner;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Measures the first call after a time without calls. All pairs of processes run at the same time and call in turn, so
 * that each pair is idle while the others call.
 */
@Command(
        description = "measures the first call after a time without calls, of pairs of processes that call in turn",
        mixinStandardHelpOptions = true)
final class FirstCallCommand extends MeasuringCommand {

    /**
     * Calls of the warm-up that follow a pause. Only such calls run the code that sleeps and wakes threads, which the
     * JIT compilers would otherwise compile during the measured calls.
     */
    private static final int WARM_UP_CALLS = 400;

    /** Long enough for all threads to sleep. */
    private static final long WARM_UP_PAUSE_MILLIS = 20;

    @Parameters(
            paramLabel = "WHO[@DIRECTORY]",
            converter = Turner.Converter.class,
            description = "peers; the others are compared with the first one (default: KRYO_TCP SPRING_DEFAULTS). For"
                    + " another build, the directory to which its benchmarks.jar and lib were copied")
    private List<Turner> pairs = List.of();

    @Option(names = "--payload", description = "payload: ${COMPLETION-CANDIDATES} (default ${DEFAULT-VALUE})")
    private Payload payload = Payload.ORDER;

    @Option(names = "--idle", description = "seconds without calls before each call (default ${DEFAULT-VALUE})")
    private double idleSeconds = 10;

    @Option(names = "--rounds", description = "number of calls of each pair (default ${DEFAULT-VALUE})")
    private int rounds = 20;

    @Option(
            names = "--warm-up",
            description = "maximum warm-up of each pair in seconds; after a garbage collection half as long again"
                    + " (default ${DEFAULT-VALUE})")
    private double warmUp = 20;

    @Override
    void check() {
        if (pairs.isEmpty()) {
            pairs = List.of(new Turner(Peers.KRYO_TCP.name(), null), new Turner(Peers.SPRING_DEFAULTS.name(), null));
        }
        if (idleSeconds < 0 || rounds < 1) {
            throw reject("--idle must not be negative, and --rounds must be at least 1");
        }
        for (Turner each : pairs) {
            if (!Peers.valueOf(each.name()).carries(payload)) {
                throw reject(each.name() + " does not carry --payload " + payload.name());
            }
        }
    }

    @Override
    void measure() throws Exception {
        describe("Rounds", rounds + ", each with one call of " + payload + " by one thread of each pair");
        describe("JVM flags of all measured processes", "`" + Pair.flags() + "`");
        describe("Libraries", Libraries.text());
        Cell cell = Cell.of(payload, Callers.PLATFORM, 1);
        List<Pair> running = new ArrayList<>();
        try {
            for (Turner each : pairs) {
                running.add(start(each, cell));
            }
            callInTurn(running, cell);
        } finally {
            for (Pair each : running) {
                each.close();
            }
        }
    }

    private Pair start(Turner turner, Cell cell) throws IOException, InterruptedException {
        Pair pair = Pair.start(Peers.class, turner.name(), turner::withBuild);
        try {
            boolean warm = pair.warmUp(cell, warmUp);
            for (int i = 0; i < WARM_UP_CALLS; i++) {
                pair.prepare(cell);
                Thread.sleep(WARM_UP_PAUSE_MILLIS);
                BenchmarkOutcome _ = pair.runPrepared();
            }
            log().println(turner + (warm ? " is warmed up" : " is not fully warm"));
            return pair;
        } catch (IOException | InterruptedException | RuntimeException e) {
            pair.close();
            throw e;
        }
    }

    private void callInTurn(List<Pair> running, Cell cell) throws IOException, InterruptedException {
        Duration pause = Duration.ofNanos((long) (idleSeconds * 1e9 / running.size()));
        for (Pair pair : running) {
            pair.prepare(cell);
        }
        // The first round does not count, because its pauses differ.
        for (int round = 0; round <= rounds; round++) {
            OtherPrograms others = new OtherPrograms();
            double[] micros = new double[running.size()];
            for (int i = 0; i < micros.length; i++) {
                Thread.sleep(pause);
                micros[i] = running.get(i).runPrepared().micros(100);
                running.get(i).prepare(cell);
            }
            if (round > 0) {
                add(round, micros, others.percent());
            }
        }
    }

    private void add(int round, double[] micros, double othersPercent) throws IOException {
        String section = String.format(Locale.ROOT, "First call after %s s without calls", idleSeconds);
        for (int i = 0; i < micros.length; i++) {
            Comparison comparison = Comparison.plain(
                    section,
                    payload + ", one caller",
                    "µs",
                    pairs.get(i).toString(),
                    pairs.getFirst().toString(),
                    Comparison.NONE);
            write(Comparison.FILE, comparison.round(round, micros[i], micros[0], othersPercent));
        }
        log().println("round " + round + ": "
                + String.join(
                        ", ",
                        Arrays.stream(micros)
                                .mapToObj(each -> String.format(Locale.ROOT, "%.0f µs", each))
                                .toList()));
    }
}
