package io.rdmarpc.benchmarks.goals;

import io.rdmarpc.benchmarks.load.Measurement;
import java.util.function.ToDoubleFunction;

/** A number of a measurement. */
@SuppressWarnings("ImmutableEnumChecker") // what it takes has no state
enum Metric {
    P50("p50", "us", each -> each.outcome().micros(50)),
    P99("p99", "us", each -> each.outcome().micros(99)),
    P99_9("p99.9", "us", each -> each.outcome().micros(99.9)),
    RATE("rate", "/s", each -> each.outcome().perSecond()),
    CPU("CPU of both for a million calls", "s", Measurement::cpuSecondsPerMillion),
    CLIENT_BYTES("allocated by the client for a call", "B", Measurement::clientBytesPerCall),
    SERVER_BYTES("allocated by the server for a call", "B", Measurement::serverBytesPerCall),
    IDLE_CLIENT("CPU of the idle client", "%", each -> each.client().cpuNanos() / 1e9 / Runner.IDLE_SECONDS * 100),
    IDLE_SERVER("CPU of the idle server", "%", each -> each.server().cpuNanos() / 1e9 / Runner.IDLE_SECONDS * 100);

    private final String text;
    private final String unit;
    private final ToDoubleFunction<Measurement> value;

    Metric(String text, String unit, ToDoubleFunction<Measurement> value) {
        this.text = text;
        this.unit = unit;
        this.value = value;
    }

    String unit() {
        return unit;
    }

    double of(Measurement measurement) {
        return value.applyAsDouble(measurement);
    }

    @Override
    public String toString() {
        return text;
    }
}
