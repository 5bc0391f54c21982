package io.rdmarpc.benchmarks.goals;

import io.rdmarpc.benchmarks.ChildJvm;
import io.rdmarpc.benchmarks.goals.Results.Sample;
import io.rdmarpc.benchmarks.goals.Task.Circumstances;
import io.rdmarpc.benchmarks.load.BenchmarkCounters;
import io.rdmarpc.benchmarks.load.BenchmarkMeasurement;
import io.rdmarpc.benchmarks.load.BenchmarkOutcome;
import io.rdmarpc.benchmarks.load.Cell;
import io.rdmarpc.benchmarks.load.Pair;
import io.rdmarpc.benchmarks.peer.Peers;
import io.rdmarpc.benchmarks.table.OtherPrograms;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
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
 * with the very calls that are measured then, until they get no faster.
 */
final class Runner {

    private static final int IDLE_SECONDS = 10;
    private static final int IDLE_PERIODS = 5;

    /** Of the warm-up of the first kind of call, for each other kind. */
    private static final double OTHERS_SHARE = 4;

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
            if (round == 1) {
                programs.removeIf(Need.Program::isOnce);
            }
            run(List.copyOf(programs), round);
            for (Map.Entry<Peers, Set<Task>> peer : peers.entrySet()) {
                measure(peer.getKey(), List.copyOf(peer.getValue()), round);
            }
        }
    }

    /** One that fails is told of and left out; the others are measured all the same. */
    private void measure(Peers peer, List<Task> tasks, int round) {
        try (Pair pair = Pair.start(Peers.class, peer.name())) {
            warmUp(pair, peer, tasks, round);
            for (Task task : tasks) {
                pair.measure(cell(task, round), Math.min(seconds, warmUpSeconds) / 4);
                OtherPrograms others = new OtherPrograms();
                BenchmarkMeasurement measurement = measure(pair, task, round);
                tell(new Sample(new Need.Calls(peer, task), round, measurement, others.percent()));
            }
        } catch (IOException e) {
            log.println(peer + ": " + e.getMessage());
            log.flush();
        }
    }

    /** The first kind of call compiles most of what the others need. All are made before any is measured. */
    private void warmUp(Pair pair, Peers peer, List<Task> tasks, int round) throws IOException {
        double most = warmUpSeconds;
        for (Task task : tasks) {
            if (!pair.warmUp(cell(task, round), most)) {
                log.printf(
                        Locale.ROOT, "%d %-32s %-60s still getting faster after %.1f s%n", round + 1, peer, task, most);
            }
            most = warmUpSeconds / OTHERS_SHARE;
        }
    }

    private BenchmarkMeasurement measure(Pair pair, Task task, int round) throws IOException {
        return switch (task.circumstances()) {
            case QUIET, PACED -> pair.measure(cell(task, round), seconds);
            case BESIDE_A_BUSY_PROCESS -> measureBesideBusyProcess(pair, task);
            case AFTER_IDLE -> measureAfterIdle(pair, task.cell());
        };
    }

    /** What the calls themselves use does not count: they are so few. */
    private static BenchmarkMeasurement measureAfterIdle(Pair pair, Cell cell) throws IOException {
        BenchmarkMeasurement idle = pair.idle(1000L * IDLE_SECONDS);
        BenchmarkCounters client = idle.client();
        BenchmarkCounters server = idle.server();
        List<BenchmarkOutcome> calls =
                new ArrayList<>(List.of(pair.measure(cell, 0).outcome()));
        while (calls.size() < IDLE_PERIODS) {
            idle = pair.idle(1000L * IDLE_SECONDS);
            client = client.plus(idle.client());
            server = server.plus(idle.server());
            calls.add(pair.measure(cell, 0).outcome());
        }
        return new BenchmarkMeasurement(BenchmarkOutcome.together(calls, IDLE_PERIODS * IDLE_SECONDS), client, server);
    }

    private BenchmarkMeasurement measureBesideBusyProcess(Pair pair, Task task) throws IOException {
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
        Map<List<String>, Printout> printed = new HashMap<>();
        for (Need.Program program : programs) {
            try {
                ProcessBuilder process = process(program);
                Printout printout = printed.get(process.command());
                if (printout == null) {
                    printout = print(process);
                    printed.put(process.command(), printout);
                }
                double number = number(program, printout);
                results.add(program, round, number, printout.othersPercent);
                log.printf(Locale.ROOT, "%d %s %s: %.3f%n", round + 1, program.command(), program.words(), number);
                log.flush();
            } catch (IOException e) {
                log.println(program.command() + ": " + e.getMessage());
                log.flush();
            }
        }
    }

    private ProcessBuilder process(Need.Program program) {
        List<String> words = program.words().stream()
                .map(word -> word.equals(Need.Program.WARM_UP) ? Double.toString(warmUpSeconds) : word)
                .toList();
        if (!program.isScript()) {
            return ChildJvm.of(List.of("--enable-native-access=ALL-UNNAMED"), program.command(), words);
        }
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("benchmarks.root", "."), program.command())
                .toString());
        line.addAll(words);
        return new ProcessBuilder(line);
    }

    private static Printout print(ProcessBuilder builder) throws IOException {
        OtherPrograms others = new OtherPrograms();
        Path complaints = Files.createTempFile("benchmark", ".log");
        Process process = builder.redirectError(complaints.toFile()).start();
        StringBuilder text = new StringBuilder();
        double othersPercent = 0;
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                text.append(line).append('\n');
                // While its own processes are still there: when they end, theirs would look like those of others.
                othersPercent = others.percent();
            }
            return new Printout(text.toString(), Files.readString(complaints), othersPercent);
        } finally {
            process.destroyForcibly();
            Files.delete(complaints);
        }
    }

    private record Printout(String text, String complaints, double othersPercent) {}

    private static double number(Need.Program program, Printout printout) throws IOException {
        Matcher matcher = Pattern.compile(program.number()).matcher(printout.text);
        if (!matcher.find()) {
            throw new IOException("printed no number, but: " + printout.text + printout.complaints);
        }
        return Double.parseDouble(matcher.group(1));
    }
}
