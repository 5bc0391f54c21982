package io.rdmarpc.benchmarks.harness;

import io.rdmarpc.benchmarks.load.BenchmarkCounters;
import io.rdmarpc.benchmarks.load.BenchmarkMeasurement;
import io.rdmarpc.benchmarks.load.BenchmarkOutcome;
import io.rdmarpc.benchmarks.load.Cell;
import io.rdmarpc.benchmarks.load.OtherPrograms;
import io.rdmarpc.benchmarks.load.Pair;
import io.rdmarpc.benchmarks.peer.Peers;
import io.rdmarpc.benchmarks.table.CsvRow;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Measures needs round by round. Each round measures every peer once, one after the other, in new processes. A warm-up
 * makes the measured calls until they no longer get faster.
 */
final class Runner {

    /** Placeholder for {@code --warm-up} in the command line of a program. */
    private static final String WARM_UP = "<warm-up>";

    private static final int IDLE_SECONDS = 10;
    private static final int IDLE_PERIODS = 5;
    private static final double SELDOM_RATE = 100;

    /** The first kind of call compiles most of the code of the others, whose warm-up is shorter by this factor. */
    private static final double OTHERS_SHARE = 4;

    private static final List<String> BUSY_LOOP = List.of("sh", "-c", "while :; do :; done");

    private final CallsCommand command;
    private final String part;
    private final RoundResults results;
    private final Map<String, CsvRow> programs = CallsCommand.programs();
    private final Setup setup;

    /**
     * How pairs of processes are measured.
     *
     * @param warmUpSeconds maximum warm-up for the first kind of call of a pair
     * @param seconds length of a measurement
     * @param jvmFlags additional flags of both processes
     */
    record Setup(double warmUpSeconds, double seconds, List<String> jvmFlags) {}

    /** Creates a runner that writes measurements of a part, {@code goals} or {@code matrix}. */
    Runner(CallsCommand command, String part, RoundResults results, Setup setup) throws IOException {
        this.command = command;
        this.part = part;
        this.results = results;
        this.setup = setup;
    }

    void measure(Collection<Need> needs, int rounds) throws IOException {
        Map<Peers, Set<Need>> peers = new LinkedHashMap<>();
        Set<Need> printing = new LinkedHashSet<>();
        for (Need need : needs) {
            (need.isProgram() ? printing : peers.computeIfAbsent(need.peer(), peer -> new LinkedHashSet<>())).add(need);
        }
        for (int round = 1; round <= rounds; round++) {
            runPrograms(printing, round);
            for (Map.Entry<Peers, Set<Need>> peer : peers.entrySet()) {
                measure(peer.getKey(), peer.getValue(), round);
            }
        }
    }

    /** Measures a peer. Logs and skips a peer that fails. */
    private void measure(Peers peer, Set<Need> needs, int round) throws IOException {
        try (Pair pair = Pair.start(Peers.class, peer.name(), setup.jvmFlags())) {
            double most = setup.warmUpSeconds();
            for (Need need : needs) {
                if (!pair.warmUp(cell(need, round), most)) {
                    log("%d %-32s not fully warm: calls still got faster after %.1f s", round, need, most);
                }
                most = setup.warmUpSeconds() / OTHERS_SHARE;
            }
            for (Need need : needs) {
                pair.measure(cell(need, round), Math.min(setup.seconds(), setup.warmUpSeconds()) / 4);
                OtherPrograms others = new OtherPrograms();
                add(need, round, measure(pair, need, round), others.percent());
            }
        } catch (IOException e) {
            log("%s: %s", peer, e);
        }
    }

    private BenchmarkMeasurement measure(Pair pair, Need need, int round) throws IOException {
        return switch (need.circumstances()) {
            case QUIET, PACED, SELDOM -> pair.measure(cell(need, round), setup.seconds());
            case BESIDE_A_BUSY_PROCESS -> {
                Process busy = new ProcessBuilder(BUSY_LOOP).start();
                try {
                    yield pair.measure(need.cell(), setup.seconds());
                } finally {
                    busy.destroyForcibly();
                }
            }
            case AFTER_IDLE -> measureAfterIdle(pair, need.cell());
        };
    }

    /**
     * Measures first calls after idle periods. The result has the CPU time of the idle periods, without that of the
     * calls.
     */
    private static BenchmarkMeasurement measureAfterIdle(Pair pair, Cell cell) throws IOException {
        BenchmarkCounters client = BenchmarkCounters.NONE;
        BenchmarkCounters server = BenchmarkCounters.NONE;
        List<BenchmarkOutcome> calls = new ArrayList<>();
        while (calls.size() < IDLE_PERIODS) {
            BenchmarkMeasurement idle = pair.idle(1000L * IDLE_SECONDS);
            client = client.plus(idle.client());
            server = server.plus(idle.server());
            calls.add(pair.measure(cell, 0).outcome());
        }
        return new BenchmarkMeasurement(BenchmarkOutcome.together(calls, IDLE_PERIODS * IDLE_SECONDS), client, server);
    }

    /** Returns the calls with their rate. Calls are not paced until the rate of the reference is known. */
    private Cell cell(Need need, int round) {
        double rate = switch (need.circumstances()) {
            case PACED -> results.value(Need.PACE, round, Metric.RATE.name()) / 2;
            case SELDOM -> SELDOM_RATE;
            default -> 0;
        };
        Cell cell = need.cell();
        return rate > 0 ? cell.paced(rate) : cell;
    }

    private void add(Need need, int round, BenchmarkMeasurement measured, double othersPercent) throws IOException {
        CsvRow row = MeasurementsTable.row(part, round, need, measured, othersPercent);
        results.add(need, round, row);
        command.write(MeasurementsTable.FILE, row);
        log(
                "%d %-92s %12.1f/s  p50 %10.2f µs  p99 %10.2f µs  CPU %8.2f s/M  others %2.0f %%",
                round,
                need,
                Metric.RATE.of(row),
                Metric.P50.of(row),
                Metric.P99.of(row),
                Metric.CPU.of(row),
                othersPercent);
    }

    private void log(String format, Object... values) {
        command.log().printf(Locale.ROOT, format + "%n", values);
        command.log().flush();
    }

    private void runPrograms(Set<Need> needs, int round) {
        for (Need need : needs) {
            CsvRow program = programs.getOrDefault(need.program(), CsvRow.of());
            if (round > 1 && !program.text("once").isEmpty()) {
                continue;
            }
            OtherPrograms others = new OtherPrograms();
            String line = program.text("program").replace(WARM_UP, Double.toString(setup.warmUpSeconds()));
            try (Meter meter = Meter.open(line, 1)) {
                double value = meter.measure() * program.number("factor");
                results.add(need, round, CsvRow.of(RoundResults.VALUE, value, Comparison.OTHERS, others.percent()));
                log("%d %s: %.3f", round, need, value);
            } catch (IOException e) {
                log("%s: %s", need, e);
            }
        }
    }
}
