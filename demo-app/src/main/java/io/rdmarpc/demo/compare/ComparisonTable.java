package io.rdmarpc.demo.compare;

import io.rdmarpc.demo.MeasurementResult;
import io.rdmarpc.demo.Transport;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/** The results of all transports, and their ratios. Not thread-safe. */
final class ComparisonTable {

    private static final String RATIOS = "%10s %9s";

    private final int callers;
    private final Map<Part, Map<Transport, MeasurementResult>> results = new EnumMap<>(Part.class);

    ComparisonTable(int callers) {
        this.callers = callers;
    }

    void put(Part part, Transport transport, MeasurementResult result) {
        results.computeIfAbsent(part, _ -> new EnumMap<>(Transport.class)).put(transport, result);
    }

    private MeasurementResult rdma(Part part) {
        return result(part, Transport.RDMA);
    }

    private MeasurementResult result(Part part, Transport transport) {
        return Objects.requireNonNull(Objects.requireNonNull(results.get(part)).get(transport));
    }

    /** Returns the lines of the table. A ratio says how many times as long, or as many calls, compared with RDMA. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(MeasurementResult.HEADER + String.format(Locale.ROOT, RATIOS, "p50", "calls/s"));
        results.forEach((part, byTransport) -> {
            lines.add(part.label(callers));
            byTransport.forEach((transport, result) -> {
                String row = result.row("  " + transport.label());
                lines.add(transport == Transport.RDMA ? row : row + ratios(result, rdma(part)));
            });
        });
        return lines;
    }

    private static String ratios(MeasurementResult result, MeasurementResult rdma) {
        return String.format(
                Locale.ROOT, RATIOS, ratio(result.p50() / rdma.p50()), ratio(result.perSecond() / rdma.perSecond()));
    }

    private static String ratio(double ratio) {
        return String.format(Locale.ROOT, ratio < 0.995 ? "x %.3f" : ratio < 10 ? "x %.1f" : "x %.0f", ratio);
    }

    /** Returns what a reader should remember, in one sentence. */
    String summary() {
        MeasurementResult rdma = rdma(Part.PLACE);
        return String.format(
                Locale.ROOT,
                "orders: %s over RDMA instead of %s over gRPC and %s over Spring HTTP on this machine (medians, 1 caller)",
                micros(rdma.p50()),
                micros(result(Part.PLACE, Transport.GRPC).p50()),
                micros(result(Part.PLACE, Transport.HTTP).p50()));
    }

    private static String micros(double micros) {
        return String.format(Locale.ROOT, micros < 100 ? "%.1f µs" : "%.0f µs", micros);
    }

    /** Returns the figures in which RDMA is worse than another transport. */
    List<String> losses() {
        List<String> losses = new ArrayList<>();
        results.forEach((part, byTransport) -> byTransport.forEach((transport, result) -> {
            addLoss(losses, part, transport, "p50", MeasurementResult::p50);
            addLoss(losses, part, transport, "p99", MeasurementResult::p99);
            addLoss(losses, part, transport, "p99.9", MeasurementResult::p999);
            addLoss(losses, part, transport, "max", MeasurementResult::max);
        }));
        return losses;
    }

    private void addLoss(
            List<String> losses,
            Part part,
            Transport transport,
            String figure,
            ToDoubleFunction<MeasurementResult> value) {
        double ours = value.applyAsDouble(rdma(part));
        double theirs = value.applyAsDouble(result(part, transport));
        if (ours > theirs && hasDistribution(part, figure)) {
            losses.add(part.label(callers) + ", " + figure + ": " + micros(ours) + " over RDMA, " + micros(theirs)
                    + " over " + transport.label());
        }
    }

    /** Returns false for figures that repeat the only call of a part. */
    private static boolean hasDistribution(Part part, String figure) {
        return part != Part.FIRST_CALL || figure.equals("p50");
    }

    /** Returns descriptions of wrong responses and failures. */
    List<String> problems() {
        return results.values().stream()
                .flatMap(byTransport -> byTransport.entrySet().stream())
                .filter(entry -> !entry.getValue().isClean())
                .map(entry -> entry.getKey().label() + ": "
                        + (entry.getValue().calls() == 0
                                ? entry.getValue().name() + ": no calls"
                                : entry.getValue().problem()))
                .toList();
    }
}
