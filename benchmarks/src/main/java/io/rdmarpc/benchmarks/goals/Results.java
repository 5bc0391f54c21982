package io.rdmarpc.benchmarks.goals;

import io.rdmarpc.benchmarks.load.Measurement;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

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
    record Sample(Need.Calls need, int round, Measurement measurement, double othersPercent) {}

    private record Key(Need need, int round) {}

    private final int rounds;
    private final Map<Key, Sample> samples = new LinkedHashMap<>();
    private final Map<Key, Double> printed = new HashMap<>();

    Results(int rounds) {
        this.rounds = rounds;
    }

    int rounds() {
        return rounds;
    }

    void add(Sample sample) {
        samples.put(new Key(sample.need, sample.round), sample);
    }

    void add(Need.Program program, int round, double value) {
        printed.put(new Key(program, round), value);
    }

    double metric(Need.Calls need, int round, Metric metric) {
        Sample sample = samples.get(new Key(need, round));
        return sample == null ? Double.NaN : metric.of(sample.measurement);
    }

    double printed(Need.Program program, int round) {
        return printed.getOrDefault(new Key(program, round), Double.NaN);
    }

    /** The most that others used while one of these was measured. */
    double others(List<Need> needs) {
        return samples.values().stream()
                .filter(sample -> needs.contains(sample.need))
                .mapToDouble(Sample::othersPercent)
                .max()
                .orElse(0);
    }

    List<Sample> samples() {
        return List.copyOf(samples.values());
    }

    boolean has(Need need) {
        return samples.keySet().stream().anyMatch(key -> Objects.equals(key.need, need));
    }
}
