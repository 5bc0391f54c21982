package io.rdmarpc.benchmarks.memory;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The end of each READ starts the next one on the polling thread, as programs on bare verbs do. */
final class ChainedReads extends RegionReads {

    /** One measurement. */
    private final class Pass {

        private final AtomicInteger unstarted;
        private final AtomicInteger unended;
        private final CompletableFuture<Void> end = new CompletableFuture<>();

        Pass(int count) {
            unstarted = new AtomicInteger(count);
            unended = new AtomicInteger(count);
        }

        void next(int place) {
            if (unstarted.getAndDecrement() > 0) {
                var _ = read(place).whenComplete((_, failure) -> ended(place, failure));
            }
        }

        private void ended(int place, @Nullable Throwable failure) {
            if (failure != null) {
                end.completeExceptionally(failure);
            } else if (unended.decrementAndGet() == 0) {
                end.complete(null);
            } else {
                next(place);
            }
        }
    }

    /** Connects over shared memory or over UDP. */
    ChainedReads(boolean sharedMemory) {
        super(sharedMemory);
    }

    @Override
    public double measure(int count) {
        Pass pass = new Pass(count);
        long start = System.nanoTime();
        for (int place = 0; place < AT_A_TIME; place++) {
            pass.next(place);
        }
        pass.end.join();
        return (double) count * BYTES / (System.nanoTime() - start);
    }
}
