package io.rdmarpc.benchmarks.harness;

import io.rdmarpc.benchmarks.load.BenchmarkMeasurement;
import io.rdmarpc.benchmarks.load.Pair;
import io.rdmarpc.benchmarks.peer.Libraries;
import io.rdmarpc.benchmarks.peer.ScaleKind;
import io.rdmarpc.benchmarks.scale.ScaleRun;
import io.rdmarpc.rpc.runtime.PollingConfig;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures calls per second by the number of threads per side. */
@Command(
        description = "measures calls per second by the number of threads per side, compared with one thread",
        mixinStandardHelpOptions = true)
final class ScaleCommand extends MeasuringCommand {

    @Option(
            names = "--threads",
            split = ",",
            description = "numbers of threads per side (default: 1, 2, 4 and so on, up to half of the processors)")
    private List<Integer> threads = defaultThreads(Runtime.getRuntime().availableProcessors());

    @Option(
            names = "--only",
            description = "regular expression for the whole names of kinds to measure, such as 'bytes|nics' or"
                    + " 'order.*'")
    private Pattern only = Pattern.compile(".*");

    @Option(names = "--runs", description = "number of measurements of each (default ${DEFAULT-VALUE})")
    private int runs = 3;

    @Option(names = "--seconds", description = "length of a measurement in seconds (default ${DEFAULT-VALUE})")
    private double seconds = 2;

    @Option(
            names = "--warm-up",
            description = "maximum warm-up in seconds; after a garbage collection half as long again (default"
                    + " ${DEFAULT-VALUE})")
    private double warmUp = 10;

    /** Returns the powers of two up to half of the processors, and that half, but at least one and two threads. */
    static List<Integer> defaultThreads(int processors) {
        int most = Math.max(2, processors / 2);
        TreeSet<Integer> all = IntStream.iterate(1, count -> count < most, count -> 2 * count)
                .boxed()
                .collect(Collectors.toCollection(TreeSet::new));
        all.add(most);
        all.removeIf(count -> count > PollingConfig.MAX_THREADS);
        return List.copyOf(all);
    }

    private List<ScaleKind> kinds() {
        return Arrays.stream(ScaleKind.values())
                .filter(kind -> only.matcher(kind.toString()).matches())
                .toList();
    }

    @Override
    void check() {
        if (threads.stream().anyMatch(count -> count < 1 || count > PollingConfig.MAX_THREADS)) {
            throw reject("--threads is " + threads + ": each number must be 1 to " + PollingConfig.MAX_THREADS);
        }
        if (kinds().isEmpty()) {
            throw reject("--only " + only + " matches no kind: choose from " + Arrays.toString(ScaleKind.values()));
        }
    }

    @Override
    void measure() throws IOException {
        describe(
                "Runs",
                runs + " of " + seconds + " s each, in new processes, warmed up until calls get no faster, for at most "
                        + warmUp + " s");
        describe("JVM flags of all measured processes", "`" + Pair.flags() + "`");
        describe(
                "JVM flags of `bytes`, `nics` and `processes` in addition",
                "`" + String.join(" ", ScaleKind.BYTES.flags()) + "`");
        describe("Libraries", Libraries.text());
        for (int run = 1; run <= runs; run++) {
            for (ScaleKind kind : kinds()) {
                double rateOfOne = Double.NaN;
                for (int count : new TreeSet<>(threads)) {
                    ScaleRun.Result result = measure(new ScaleRun(kind, count, warmUp, seconds));
                    if (result != null) {
                        double rate = result.measurement().outcome().perSecond();
                        rateOfOne = count == 1 ? rate : rateOfOne;
                        write(ScaleTable.FILE, ScaleTable.row(kind, count, run, result, rate / rateOfOne));
                    }
                }
            }
        }
    }

    /** Measures one kind with one number of threads. Logs a failure and returns null. */
    private ScaleRun.@Nullable Result measure(ScaleRun run) {
        try {
            ScaleRun.Result result = run.measure();
            BenchmarkMeasurement measurement = result.measurement();
            log().printf(
                            Locale.ROOT,
                            "%s, %d per side: %.0f calls/s, %.2f µs of CPU time per call%s%n",
                            run.kind(),
                            run.threads(),
                            measurement.outcome().perSecond(),
                            measurement.cpuSecondsPerMillion(),
                            result.warm() ? "" : ", not fully warm");
            return result;
        } catch (IOException e) {
            log().printf(Locale.ROOT, "%s, %d per side: %s%n", run.kind(), run.threads(), e.getMessage());
            return null;
        }
    }
}
