package io.rdmarpc.transport;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Limits the READs that a NIC has in flight for all its engines together. Each engine permanently owns one READ, so
 * that it always makes progress without a wake-up by another engine. The other READs are lent in portions. While other
 * engines READ as well, an engine with more than its fair part returns READs as they end. Posting a READ only updates a
 * counter of its own engine.
 *
 * <pre>
 *   budget = one per engine + lent + free            fair part = budget / engines that READ now
 * </pre>
 *
 * Thread-safe; a {@link Share} belongs to its engine's thread.
 */
final class ReadBudget {

    /** Number of READs that an engine borrows at a time, so that it accesses the shared counter once per portion. */
    static final int PORTION = 8;

    private static final int OWNED_READS = 1;

    private final int total;
    private final AtomicInteger free;
    private final AtomicInteger readingEngines = new AtomicInteger();
    private final AtomicInteger engines = new AtomicInteger();

    ReadBudget(int total) {
        this.total = total;
        this.free = new AtomicInteger(total);
    }

    /** Adds an engine. With more engines than the budget has READs, each engine still owns one. */
    Share join() {
        free.addAndGet(-OWNED_READS);
        engines.incrementAndGet();
        return new Share();
    }

    int engines() {
        return Math.max(1, engines.get());
    }

    int total() {
        return total;
    }

    int free() {
        return Math.max(0, free.get());
    }

    int fairPart() {
        return Math.max(OWNED_READS, total / Math.max(1, readingEngines.get()));
    }

    private int borrow(int requested) {
        int before = free.get();
        while (before > 0 && requested > 0) {
            int got = Math.min(before, requested);
            if (free.compareAndSet(before, before - got)) {
                return got;
            }
            before = free.get();
        }
        return 0;
    }

    /** One engine's part. Engine thread only. */
    final class Share {

        private int held = OWNED_READS;
        private int used;
        private boolean isReading;

        /** Returns whether one more READ may be posted. Borrows READs if necessary. */
        boolean hasRoom() {
            if (used < held) {
                return true;
            }
            held += borrow(Math.min(PORTION, fairPart() - held));
            return used < held;
        }

        /** Counts a READ that was posted after {@link #hasRoom}. */
        void onPosted() {
            used++;
            if (!isReading) {
                isReading = true;
                readingEngines.incrementAndGet();
            }
        }

        /** Counts a READ that has ended. */
        void onEnded() {
            used--;
            // Read only once, because other engines change it when they begin or end READs.
            int fair = fairPart();
            if (held > OWNED_READS && held > fair) {
                giveBack(held - Math.max(used, fair));
            }
        }

        /** Releases the borrowed READs if none is in flight. Called when no further READ can be posted now. */
        void releaseUnused() {
            if (used > 0) {
                return;
            }
            if (isReading) {
                isReading = false;
                readingEngines.decrementAndGet();
            }
            if (held > OWNED_READS) {
                giveBack(held - OWNED_READS);
            }
        }

        private void giveBack(int count) {
            held -= count;
            free.addAndGet(count);
        }

        int used() {
            return used;
        }

        /** Resets the count of posted READs, whose ends will not be reported any more. */
        void reset() {
            used = 0;
            releaseUnused();
        }

        /** Removes the engine. */
        void leave() {
            reset();
            giveBack(held);
            engines.decrementAndGet();
        }
    }
}
