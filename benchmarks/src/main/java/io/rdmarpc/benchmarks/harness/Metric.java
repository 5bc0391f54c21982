package io.rdmarpc.benchmarks.harness;

import io.rdmarpc.benchmarks.table.CsvRow;
import java.util.function.ToDoubleFunction;

/** A figure that is computed from a measurement of calls. */
@SuppressWarnings("ImmutableEnumChecker") // the functions are stateless
enum Metric {
    P50("µs", row -> row.number("p50.0_us")),
    P99("µs", row -> row.number("p99.0_us")),
    P99_9("µs", row -> row.number("p99.9_us")),
    RATE("/s", row -> row.number("calls") / row.number("seconds")),
    /** CPU time of both processes per million calls. */
    CPU("s", row -> both(row, "cpu_s") * 1e6 / row.number("calls")),
    /** Heap memory that all threads of a process allocate per call. */
    CLIENT_BYTES("B", row -> row.number("client_bytes") / row.number("calls")),
    SERVER_BYTES("B", row -> row.number("server_bytes") / row.number("calls")),
    /** The same, rounded to whole bytes, which excludes the allocations of the supervisor in each process. */
    CLIENT_WHOLE_BYTES("B", row -> Math.rint(CLIENT_BYTES.of(row))),
    SERVER_WHOLE_BYTES("B", row -> Math.rint(SERVER_BYTES.of(row))),
    COLLECTORS("ms", row -> both(row, "gc_ms")),
    COMPILERS("%", row -> both(row, "compilers_ms") / 10 / row.number("seconds")),
    IDLE_CLIENT("%", row -> row.number("client_cpu_s") * 100 / row.number("seconds")),
    IDLE_SERVER("%", row -> row.number("server_cpu_s") * 100 / row.number("seconds"));

    private final String unit;
    private final ToDoubleFunction<CsvRow> value;

    Metric(String unit, ToDoubleFunction<CsvRow> value) {
        this.unit = unit;
        this.value = value;
    }

    private static double both(CsvRow row, String column) {
        return row.number("client_" + column) + row.number("server_" + column);
    }

    String unit() {
        return unit;
    }

    double of(CsvRow measurement) {
        return value.applyAsDouble(measurement);
    }
}
