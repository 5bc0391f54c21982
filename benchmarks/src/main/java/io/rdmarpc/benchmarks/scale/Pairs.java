package io.rdmarpc.benchmarks.scale;

import io.rdmarpc.benchmarks.load.BenchmarkMeasurement;
import io.rdmarpc.benchmarks.load.Cell;
import io.rdmarpc.benchmarks.load.Pair;
import io.rdmarpc.benchmarks.peer.ScaleKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Pairs of processes that make the same calls at the same time. Not thread-safe. */
final class Pairs implements AutoCloseable {

    private final List<Pair> all;
    private final Cell cell;
    private final ExecutorService threads;

    private Pairs(List<Pair> all, Cell cell) {
        this.all = all;
        this.cell = cell;
        this.threads = Executors.newFixedThreadPool(all.size());
    }

    static Pairs start(ScaleKind kind, int threads) throws IOException {
        List<Pair> started = new ArrayList<>();
        try {
            for (int i = 0; i < kind.pairs(threads); i++) {
                started.add(Pair.start(ScaleKind.class, kind.process(threads), kind.flags()));
            }
        } catch (IOException | RuntimeException e) {
            close(started);
            throw e;
        }
        return new Pairs(started, kind.cell(threads));
    }

    /** Warms up all pairs. Returns whether the calls of all of them stopped getting faster within the time. */
    boolean warmUp(double seconds) throws IOException {
        return ofEach(pair -> pair.warmUp(cell, seconds)).stream().allMatch(warm -> warm);
    }

    /** Measures the calls of all pairs together. */
    BenchmarkMeasurement measure(double seconds) throws IOException {
        return BenchmarkMeasurement.concurrent(ofEach(pair -> pair.measure(cell, seconds)));
    }

    private interface Step<T> {
        T of(Pair pair) throws IOException;
    }

    private <T> List<T> ofEach(Step<T> step) throws IOException {
        List<Future<T>> ends =
                all.stream().map(pair -> threads.submit(() -> step.of(pair))).toList();
        List<T> results = new ArrayList<>();
        try {
            for (Future<T> end : ends) {
                results.add(end.get());
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException("a pair of processes failed", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted during a measurement", e);
        }
        return results;
    }

    private static void close(List<Pair> pairs) throws IOException {
        IOException failure = null;
        for (Pair pair : pairs) {
            try {
                pair.close();
            } catch (IOException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public void close() throws IOException {
        threads.shutdownNow();
        close(all);
    }
}
