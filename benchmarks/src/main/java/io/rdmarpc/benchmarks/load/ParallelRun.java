package io.rdmarpc.benchmarks.load;

import io.rdmarpc.benchmarks.load.Contestant.Client;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;

/**
 * Several pipelines in a closed loop. Each has its own histogram, so that pipelines share nothing that they write. A
 * pipeline that its caller drives has a thread of its own. Otherwise one thread starts the calls of all pipelines.
 */
final class ParallelRun implements Run {

    private final List<AsyncRun> runs = new ArrayList<>();

    ParallelRun(Client client, Cell cell) {
        try {
            for (int i = 0; i < cell.pipelines(); i++) {
                runs.add(new AsyncRun(client, cell.share()));
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    @Override
    public BenchmarkOutcome run(double seconds) throws Exception {
        long begun = System.nanoTime();
        if (runs.getFirst().isCallerDriven()) {
            runByThreads(seconds);
        } else {
            for (AsyncRun run : runs) {
                run.start(seconds);
            }
            for (AsyncRun run : runs) {
                run.awaitEnd();
            }
        }
        double took = (System.nanoTime() - begun) / 1e9;
        Histogram all = new Histogram(BenchmarkOutcome.MOST_NANOS, BenchmarkOutcome.DIGITS);
        runs.forEach(run -> all.add(run.latencies()));
        return BenchmarkOutcome.of(all, took);
    }

    private void runByThreads(double seconds) throws Exception {
        CyclicBarrier start = new CyclicBarrier(runs.size());
        AtomicInteger unfinished = new AtomicInteger(runs.size());
        List<Future<BenchmarkOutcome>> ends = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(runs.size())) {
            for (AsyncRun run : runs) {
                ends.add(threads.submit(() -> {
                    start.await();
                    try {
                        return run.run(seconds);
                    } finally {
                        unfinished.decrementAndGet();
                        // Calls of the other threads may use the session on this thread's engine.
                        run.driveWhile(() -> unfinished.get() > 0);
                    }
                }));
            }
            for (Future<BenchmarkOutcome> end : ends) {
                end.get();
            }
        }
    }

    @Override
    public void close() {
        runs.forEach(AsyncRun::close);
    }
}
