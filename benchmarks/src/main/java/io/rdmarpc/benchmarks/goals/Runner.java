package io.rdmarpc.benchmarks.goals;

import io.rdmarpc.benchmarks.ChildJvm;
import io.rdmarpc.benchmarks.goals.Results.Sample;
import io.rdmarpc.benchmarks.goals.Task.Circumstances;
import io.rdmarpc.benchmarks.load.Cell;
import io.rdmarpc.benchmarks.load.Measurement;
import io.rdmarpc.benchmarks.load.Pair;
import io.rdmarpc.benchmarks.peer.Peers;
import io.rdmarpc.benchmarks.table.OtherPrograms;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Reader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Measures what is needed: round by round, in each every peer once, one after the other, in fresh processes that are warmed up
 * with the very calls that are measured then.
 */
final class Runner {

    static final int IDLE_SECONDS = 10;

    private static final List<String> BUSY_LOOP = List.of("sh", "-c", "while :; do :; done");

    private final Results results;
    private final double warmUpSeconds;
    private final double seconds;
    private final PrintWriter log;

    Runner(Results results, double warmUpSeconds, double seconds, PrintWriter log) {
        this.results = results;
        this.warmUpSeconds = warmUpSeconds;
        this.seconds = seconds;
        this.log = log;
    }

    void measure(List<Need> needs, int rounds) {
        Set<Need.Program> programs = new LinkedHashSet<>();
        Map<Peers, Set<Task>> peers = new LinkedHashMap<>();
        for (Need need : needs) {
            switch (need) {
                case Need.Program program -> programs.add(program);
                case Need.Calls calls ->
                    peers.computeIfAbsent(calls.peer(), peer -> new LinkedHashSet<>())
                            .add(calls.task());
            }
        }
        for (int round = 0; round < rounds; round++) {
            run(List.copyOf(programs), round);
            for (Map.Entry<Peers, Set<Task>> peer : peers.entrySet()) {
                measure(peer.getKey(), List.copyOf(peer.getValue()), round);
            }
        }
    }

    /** One that fails is told of and left out; the others are measured all the same. */
    private void measure(Peers peer, List<Task> tasks, int round) {
        try (Pair pair = Pair.start(Peers.class, peer.name())) {
            for (Task task : tasks) {
                pair.warmUp(cell(task, round), warmUpSeconds / tasks.size());
            }
            for (Task task : tasks) {
                pair.warmUp(cell(task, round), Math.min(seconds, warmUpSeconds) / 4);
                OtherPrograms others = new OtherPrograms();
                Measurement measurement = measure(pair, task, round);
                tell(new Sample(new Need.Calls(peer, task), round, measurement, others.percent()));
            }
        } catch (IOException e) {
            log.println(peer + ": " + e.getMessage());
            log.flush();
        }
    }

    private Measurement measure(Pair pair, Task task, int round) throws IOException {
        return switch (task.circumstances()) {
            case QUIET, PACED -> pair.measure(cell(task, round), seconds);
            case BESIDE_A_BUSY_PROCESS -> measureBesideBusyProcess(pair, task);
            case AFTER_IDLE -> {
                Measurement idle = pair.idle(1000L * IDLE_SECONDS);
                yield new Measurement(pair.measure(task.cell(), 0).outcome(), idle.client(), idle.server());
            }
        };
    }

    private Measurement measureBesideBusyProcess(Pair pair, Task task) throws IOException {
        Process busy = new ProcessBuilder(BUSY_LOOP).start();
        try {
            return pair.measure(task.cell(), seconds);
        } finally {
            busy.destroyForcibly();
        }
    }

    /** Where the pace is not known yet, as in the first warm-up of who sets it, calls are not paced. */
    private Cell cell(Task task, int round) {
        double rate =
                task.circumstances() == Circumstances.PACED ? results.metric(Goals.PACE, round, Metric.RATE) / 2 : 0;
        Cell cell = task.cell();
        return rate > 0 ? new Cell(cell.payload(), cell.callers(), cell.outstanding(), rate) : cell;
    }

    private void tell(Sample sample) {
        results.add(sample);
        log.printf(
                Locale.ROOT,
                "%d %-32s %-60s %12.1f/s  p50 %10.2f us  p99 %10.2f us  CPU %8.2f s/M  others %2.0f %%%n",
                sample.round() + 1,
                sample.need().peer(),
                sample.need().task(),
                Metric.RATE.of(sample.measurement()),
                Metric.P50.of(sample.measurement()),
                Metric.P99.of(sample.measurement()),
                Metric.CPU.of(sample.measurement()),
                sample.othersPercent());
        log.flush();
    }

    /** What one command prints may hold several numbers: it is run once a round for all of them. */
    private void run(List<Need.Program> programs, int round) {
        Map<List<String>, String> printed = new HashMap<>();
        for (Need.Program program : programs) {
            try {
                ProcessBuilder process = process(program);
                String text = printed.get(process.command());
                if (text == null) {
                    text = print(process);
                    printed.put(process.command(), text);
                }
                results.add(program, round, number(program, text));
            } catch (IOException e) {
                log.println(program.command() + ": " + e.getMessage());
                log.flush();
            }
        }
    }

    private static ProcessBuilder process(Need.Program program) {
        if (!program.isScript()) {
            return ChildJvm.of(List.of("--enable-native-access=ALL-UNNAMED"), program.command(), program.words());
        }
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("benchmarks.root", "."), program.command())
                .toString());
        line.addAll(program.words());
        return new ProcessBuilder(line);
    }

    private static String print(ProcessBuilder builder) throws IOException {
        Process process = builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
        try (Reader out = process.inputReader(StandardCharsets.UTF_8);
                StringWriter all = new StringWriter()) {
            out.transferTo(all);
            return all.toString();
        } finally {
            process.destroyForcibly();
        }
    }

    private static double number(Need.Program program, String text) throws IOException {
        Matcher matcher = Pattern.compile(program.number()).matcher(text);
        if (!matcher.find()) {
            throw new IOException("printed no number, but: " + text);
        }
        return Double.parseDouble(matcher.group(1));
    }
}
