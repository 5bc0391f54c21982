package io.rdmarpc.benchmarks.goals;

import io.rdmarpc.benchmarks.load.BenchmarkMeasurement;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/** What was measured. */
final class Results {

    /**
     * A measurement.
     *
     * @param need what was to be measured
     * @param round in which round, from 0
     * @param measurement what it gave
     * @param othersPercent how much of all CPUs other programs used meanwhile
     */
    record Sample(Need.Calls need, int round, BenchmarkMeasurement measurement, double othersPercent) {}

    private record Printed(double value, double othersPercent) {}

    private record Key(Need need, int round) {}

    private final int rounds;
    private final Map<Key, Sample> samples = new LinkedHashMap<>();
    private final Map<Key, Printed> printed = new HashMap<>();

    Results(int rounds) {
        this.rounds = rounds;
    }

    int rounds() {
        return rounds;
    }

    /** What is there stays: a ratio is of two numbers of one round, and another measurement would be of another hour. */
    void add(Sample sample) {
        Sample before = samples.putIfAbsent(new Key(sample.need, sample.round), sample);
        if (before != null) {
            throw new IllegalStateException(sample.need.peer() + ", " + sample.need.task()
                    + " has been measured in round " + (sample.round + 1) + " already: measure it once a round");
        }
    }

    void add(Need.Program program, int round, double value, double othersPercent) {
        printed.put(new Key(program, round), new Printed(value, othersPercent));
    }

    double metric(Need.Calls need, int round, Metric metric) {
        Sample sample = samples.get(new Key(need, round));
        return sample == null ? Double.NaN : metric.of(sample.measurement);
    }

    double printed(Need.Program program, int round) {
        Printed found = printed.get(new Key(program, round));
        return found == null ? Double.NaN : found.value;
    }

    /** The most that others used while one of these was measured; not a number when none was. */
    double others(List<Need> needs) {
        DoubleStream ofCalls = samples.values().stream()
                .filter(sample -> needs.contains(sample.need))
                .mapToDouble(Sample::othersPercent);
        DoubleStream ofPrograms = printed.entrySet().stream()
                .filter(each -> needs.contains(each.getKey().need))
                .mapToDouble(each -> each.getValue().othersPercent);
        return DoubleStream.concat(ofCalls, ofPrograms).max().orElse(Double.NaN);
    }

    boolean has(Need need) {
        return Stream.concat(samples.keySet().stream(), printed.keySet().stream())
                .anyMatch(key -> key.need.equals(need));
    }

    List<Sample> samples() {
        return List.copyOf(samples.values());
    }

    boolean isEmpty() {
        return samples.isEmpty();
    }
}
