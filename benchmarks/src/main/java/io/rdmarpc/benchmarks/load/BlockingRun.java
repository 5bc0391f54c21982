package io.rdmarpc.benchmarks.load;

import io.rdmarpc.benchmarks.load.Contestant.Caller;
import io.rdmarpc.benchmarks.load.Contestant.Client;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;

/** Threads that each make blocking calls until the time is over. */
final class BlockingRun implements Run {

    private final ExecutorService threads;
    private final List<Caller> callers = new ArrayList<>();
    private final List<Future<Histogram>> ends = new ArrayList<>();
    private final Histogram all = new Histogram(BenchmarkOutcome.MOST_NANOS, BenchmarkOutcome.DIGITS);
    private final CountDownLatch start = new CountDownLatch(1);
    private volatile long stopNanos;

    BlockingRun(Client client, Cell cell) {
        this.threads = cell.callers() == Callers.VIRTUAL
                ? Executors.newVirtualThreadPerTaskExecutor()
                : Executors.newFixedThreadPool(cell.outstanding());
        for (int i = 0; i < cell.outstanding(); i++) {
            Caller caller = client.caller(cell.payload());
            callers.add(caller);
            ends.add(threads.submit(() -> calls(caller)));
        }
    }

    @Override
    public BenchmarkOutcome run(double seconds) throws Exception {
        long begun = System.nanoTime();
        stopNanos = begun + (long) (seconds * 1e9);
        start.countDown();
        for (Future<Histogram> end : ends) {
            all.add(end.get());
        }
        return BenchmarkOutcome.of(all, (System.nanoTime() - begun) / 1e9);
    }

    private Histogram calls(Caller caller) throws Exception {
        Histogram latencies = new Histogram(BenchmarkOutcome.MOST_NANOS, BenchmarkOutcome.DIGITS);
        start.await();
        long before = System.nanoTime();
        do {
            caller.call();
            long after = System.nanoTime();
            latencies.recordValue(Math.min(after - before, BenchmarkOutcome.MOST_NANOS));
            before = after;
        } while (before - stopNanos < 0);
        return latencies;
    }

    @Override
    public void close() {
        // Also ends callers of a run that was never started.
        threads.shutdownNow();
        threads.close();
        callers.forEach(Caller::close);
    }
}
