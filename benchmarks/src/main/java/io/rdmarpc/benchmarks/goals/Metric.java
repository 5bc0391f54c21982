package io.rdmarpc.benchmarks.goals;

import io.rdmarpc.benchmarks.load.BenchmarkCounters;
import io.rdmarpc.benchmarks.load.BenchmarkMeasurement;
import java.util.function.ToDoubleFunction;

/** A number of a measurement. */
@SuppressWarnings("ImmutableEnumChecker") // what it takes has no state
enum Metric {
    P50("p50", "us", each -> each.outcome().micros(50)),
    P99("p99", "us", each -> each.outcome().micros(99)),
    P99_9("p99.9", "us", each -> each.outcome().micros(99.9)),
    RATE("rate", "/s", each -> each.outcome().perSecond()),
    CPU("CPU of both for a million calls", "s", BenchmarkMeasurement::cpuSecondsPerMillion),
    CLIENT_BYTES("allocated by the client for a call", "B", BenchmarkMeasurement::clientBytesPerCall),
    SERVER_BYTES("allocated by the server for a call", "B", BenchmarkMeasurement::serverBytesPerCall),
    /** Without what a process does now and then, such as its answers to the harness. */
    CLIENT_WHOLE_BYTES("the same, in whole bytes", "B", each -> Math.rint(each.clientBytesPerCall())),
    SERVER_WHOLE_BYTES("the same, in whole bytes", "B", each -> Math.rint(each.serverBytesPerCall())),
    COLLECTORS(
            "time of both in collections",
            "ms",
            each -> each.client().collectorMillis() + each.server().collectorMillis()),
    COMPILERS("time of both compilers at work", "%", BenchmarkMeasurement::compilersPercent),
    IDLE_CLIENT("CPU of the idle client", "%", each -> percentOfACpu(each, each.client())),
    IDLE_SERVER("CPU of the idle server", "%", each -> percentOfACpu(each, each.server()));

    private final String text;
    private final String unit;
    private final ToDoubleFunction<BenchmarkMeasurement> value;

    Metric(String text, String unit, ToDoubleFunction<BenchmarkMeasurement> value) {
        this.text = text;
        this.unit = unit;
        this.value = value;
    }

    String unit() {
        return unit;
    }

    private static double percentOfACpu(BenchmarkMeasurement idle, BenchmarkCounters used) {
        return used.cpuNanos() / 1e7 / idle.outcome().seconds();
    }

    double of(BenchmarkMeasurement measurement) {
        return value.applyAsDouble(measurement);
    }

    @Override
    public String toString() {
        return text;
    }
}
