package io.rdmarpc.benchmarks.memory;

import java.util.concurrent.CompletableFuture;

/** A thread starts all READs, and waits for the oldest one whenever the maximum is in flight. */
final class AwaitedReads extends RegionReads {

    private final CompletableFuture<?>[] last = new CompletableFuture<?>[AT_A_TIME];

    /** Connects over shared memory or over UDP. */
    AwaitedReads(boolean sharedMemory) {
        super(sharedMemory);
    }

    @Override
    public double measure(int count) {
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            int place = i % AT_A_TIME;
            if (i >= AT_A_TIME) {
                last[place].join();
            }
            last[place] = read(place);
        }
        for (int place = 0; place < Math.min(count, AT_A_TIME); place++) {
            last[place].join();
        }
        return (double) count * BYTES / (System.nanoTime() - start);
    }
}
