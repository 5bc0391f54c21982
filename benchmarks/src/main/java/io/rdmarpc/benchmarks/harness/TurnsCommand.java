package io.rdmarpc.benchmarks.harness;

import io.rdmarpc.benchmarks.Median;
import io.rdmarpc.benchmarks.load.Payload;
import io.rdmarpc.benchmarks.peer.Peers;
import io.rdmarpc.benchmarks.table.Numbers;
import io.rdmarpc.benchmarks.turns.TurnRounds;
import io.rdmarpc.benchmarks.turns.Turner;
import io.rdmarpc.benchmarks.turns.TurningPair;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Runs pairs of processes in alternating turns of some milliseconds. In its turn, each pair makes calls with one
 * caller. Compares the time per call of each pair with that of the first pair.
 */
@Command(
        description = "measures the time per call of pairs of processes that run in alternating turns of some"
                + " milliseconds",
        mixinStandardHelpOptions = true)
final class TurnsCommand extends MeasuringCommand {

    /** A session ends after three seconds without a heartbeat, so waiting pairs resume from time to time. */
    private static final long ALIVE_MILLIS = 30;

    private static final long PAUSE_MILLIS = 300;
    private static final int MOST = 16;

    /** Minimum number of rounds with CPUs near (or far from) each other for a separate table. */
    private static final int FEWEST = 8;

    @Parameters(
            arity = "1..*",
            paramLabel = "WHO[@DIRECTORY]",
            converter = Turner.Converter.class,
            description = "peers; the others are compared with the first one. For another build, the directory to"
                    + " which its benchmarks.jar and lib were copied")
    private List<Turner> turners = List.of();

    @Option(names = "--payload", description = "payload: ${COMPLETION-CANDIDATES} (default ${DEFAULT-VALUE})")
    private Payload payload = Payload.B32;

    @Option(names = "--seconds", description = "total length of all turns in seconds (default ${DEFAULT-VALUE})")
    private double seconds = 60;

    @Option(
            names = "--turn-millis",
            description = "length of a turn in ms, of which the first 8 ms do not count (default ${DEFAULT-VALUE})")
    private long turnMillis = 25;

    @Option(names = "--warm-up", description = "warm-up of each pair in seconds (default ${DEFAULT-VALUE})")
    private double warmUp = 12;

    @Option(
            names = "--batch",
            description = "calls between two readings of the clock; seven batches must fit into a turn (default: 100,"
                    + " 10 of 64 KiB, 1 of 1 MiB)")
    private int batch;

    @Option(
            names = "--near-ns",
            description = "maximum round trip of a shared-memory flag in ns if the CPUs count as near (default"
                    + " ${DEFAULT-VALUE})")
    private double nearNanos = 200;

    private final List<TurningPair> pairs = new CopyOnWriteArrayList<>();

    @Override
    void check() {
        if (turners.size() > MOST) {
            throw reject(turners.size() + " pairs are too many: use at most " + MOST + ", so that each has enough"
                    + " turns");
        }
        for (Turner turner : turners) {
            if (!Peers.valueOf(turner.name()).carries(payload)) {
                throw reject(turner.name() + " does not carry --payload " + payload.name());
            }
        }
    }

    @Override
    void measure() throws Exception {
        describe("Turns", turnMillis + " ms each for " + seconds + " s, " + payload + ", one caller");
        Thread end = new Thread(() -> pairs.forEach(TurningPair::destroy));
        Runtime.getRuntime().addShutdownHook(end);
        TurnRounds rounds;
        try {
            for (Turner turner : turners) {
                start(turner, batch > 0 ? batch : payload.batch());
            }
            start(Turner.FLAG, Payload.B32.batch());
            rounds = takeTurns();
        } finally {
            for (TurningPair pair : pairs) {
                pair.close();
            }
            Runtime.getRuntime().removeShutdownHook(end);
        }
        for (int i = 0; i < turners.size(); i++) {
            if (rounds.isEmpty(i)) {
                throw new IOException(
                        turners.get(i) + ": too few calls of " + payload + " end in a turn of " + turnMillis
                                + " ms to measure their time. Choose a longer --turn-millis or a smaller --batch."
                                + " Builds before that option ignore it");
            }
        }
        boolean isNear = write(rounds, rounds.rounds(true), FEWEST, "CPUs near each other");
        boolean isFar = write(rounds, rounds.rounds(false), FEWEST, "CPUs far from each other");
        if (!isNear && !isFar) {
            write(rounds, rounds.all(), 1, "CPUs that moved too often between near and far");
        }
    }

    /** Starts a pair. Meanwhile the existing pairs run from time to time, so that their sessions stay alive. */
    private void start(Turner turner, int calls) throws Exception {
        FutureTask<TurningPair> starting = new FutureTask<>(() -> {
            TurningPair pair = TurningPair.start(turner, payload, calls);
            Thread.sleep((long) (warmUp * 1000));
            pair.stop();
            return pair;
        });
        Thread.ofPlatform().daemon().start(starting);
        while (!starting.isDone()) {
            pairs.forEach(TurningPair::resume);
            Thread.sleep(ALIVE_MILLIS);
            pairs.forEach(TurningPair::stop);
            Thread.sleep(PAUSE_MILLIS);
        }
        try {
            pairs.add(starting.get());
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException cause ? cause : e;
        }
        log().println(turner + " is warmed up");
    }

    private TurnRounds takeTurns() throws IOException, InterruptedException {
        TurnRounds rounds = new TurnRounds(nearNanos);
        long end = System.nanoTime() + (long) (seconds * 1e9);
        do {
            double[] nanos = new double[pairs.size()];
            for (int i = 0; i < nanos.length; i++) {
                nanos[i] = pairs.get(i).turn(turnMillis);
            }
            rounds.add(Arrays.copyOf(nanos, turners.size()), nanos[turners.size()]);
        } while (System.nanoTime() - end < 0);
        return rounds;
    }

    private boolean write(TurnRounds rounds, int[] chosen, int fewest, String title) throws IOException {
        if (chosen.length < fewest) {
            return false;
        }
        String section = String.format(
                Locale.ROOT,
                "%s: %d rounds with a flag round trip of %s ns",
                title,
                chosen.length,
                Numbers.text(Median.of(Numbers.present(
                        Arrays.stream(chosen).mapToDouble(rounds::flag).toArray()))));
        for (int i = 0; i < turners.size(); i++) {
            Comparison comparison = Comparison.plain(
                    section,
                    payload + ", one caller",
                    "ns",
                    turners.get(i).toString(),
                    turners.getFirst().toString(),
                    Comparison.NONE);
            for (int round : chosen) {
                write(
                        Comparison.FILE,
                        comparison.round(round, rounds.nanos(round, i), rounds.first(round, i), Double.NaN));
            }
        }
        return true;
    }
}
