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

/** Threads that call and wait, each for itself, until the time is over. */
final class BlockingRun {

    private final Client client;
    private final Cell cell;
    private final CountDownLatch start = new CountDownLatch(1);
    private volatile long stopNanos;

    BlockingRun(Client client, Cell cell) {
        this.client = client;
        this.cell = cell;
    }

    Outcome run(double seconds) throws Exception {
        Histogram all = new Histogram(Outcome.MOST_NANOS, Outcome.DIGITS);
        long begun;
        try (ExecutorService threads = threads()) {
            List<Future<Histogram>> callers = new ArrayList<>();
            for (int i = 0; i < cell.outstanding(); i++) {
                callers.add(threads.submit(this::calls));
            }
            begun = System.nanoTime();
            stopNanos = begun + (long) (seconds * 1e9);
            start.countDown();
            for (Future<Histogram> caller : callers) {
                all.add(caller.get());
            }
        }
        return Outcome.of(all, (System.nanoTime() - begun) / 1e9);
    }

    private ExecutorService threads() {
        return cell.callers() == Callers.VIRTUAL
                ? Executors.newVirtualThreadPerTaskExecutor()
                : Executors.newFixedThreadPool(cell.outstanding());
    }

    private Histogram calls() throws Exception {
        Histogram latencies = new Histogram(Outcome.MOST_NANOS, Outcome.DIGITS);
        try (Caller caller = client.caller(cell.payload())) {
            start.await();
            long before = System.nanoTime();
            do {
                caller.call();
                long after = System.nanoTime();
                latencies.recordValue(Math.min(after - before, Outcome.MOST_NANOS));
                before = after;
            } while (before - stopNanos < 0);
        }
        return latencies;
    }
}
