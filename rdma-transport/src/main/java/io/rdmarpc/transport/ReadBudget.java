package io.rdmarpc.transport;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many READs a NIC has in flight, all its engines together. Each engine owns one for good, so that it always makes
 * progress without being woken by another; the rest is lent in portions, and an engine that has more than its fair part
 * while others fetch, too, gives back what ends. A READ itself costs a count of its engine's own.
 *
 * <pre>
 *   budget = one per engine + lent + free            fair part = budget / engines that fetch now
 * </pre>
 *
 * Any thread; each {@link Share} belongs to its engine's.
 */
final class ReadBudget {

    /** Borrowed at a time: the shared count is touched once for so many READs. */
    static final int PORTION = 8;

    private static final int OWNED = 1;

    private final int total;
    private final AtomicInteger free;
    private final AtomicInteger fetching = new AtomicInteger();
    private final AtomicInteger engines = new AtomicInteger();

    ReadBudget(int total) {
        this.total = total;
        this.free = new AtomicInteger(total);
    }

    /** An engine comes. With more engines than the budget has READs, each has its own all the same. */
    Share join() {
        free.addAndGet(-OWNED);
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
        return Math.max(OWNED, total / Math.max(1, fetching.get()));
    }

    private int borrow(int wanted) {
        int before = free.get();
        while (before > 0 && wanted > 0) {
            int got = Math.min(before, wanted);
            if (free.compareAndSet(before, before - got)) {
                return got;
            }
            before = free.get();
        }
        return 0;
    }

    /** One engine's part. Engine thread only. */
    final class Share {

        private int held = OWNED;
        private int used;
        private boolean fetches;

        /** Tells whether one more READ may be posted; borrows for it. */
        boolean hasRoom() {
            if (used < held) {
                return true;
            }
            held += borrow(Math.min(PORTION, fairPart() - held));
            return used < held;
        }

        /** A READ was posted, after {@link #hasRoom}. */
        void onPosted() {
            used++;
            if (!fetches) {
                fetches = true;
                fetching.incrementAndGet();
            }
        }

        /** A READ has ended. */
        void onEnded() {
            used--;
            // Asked once: it changes while others begin and end.
            int fair = fairPart();
            if (held > OWNED && held > fair) {
                giveBack(held - Math.max(used, fair));
            }
        }

        /** Nothing more can be posted now: an engine that has nothing in flight keeps only what it owns. */
        void settle() {
            if (used > 0) {
                return;
            }
            if (fetches) {
                fetches = false;
                fetching.decrementAndGet();
            }
            if (held > OWNED) {
                giveBack(held - OWNED);
            }
        }

        private void giveBack(int count) {
            held -= count;
            free.addAndGet(count);
        }

        int used() {
            return used;
        }

        /** Whatever was posted will not be told of any more. */
        void reset() {
            used = 0;
            settle();
        }

        /** The engine is gone. */
        void leave() {
            reset();
            giveBack(held);
            engines.decrementAndGet();
        }
    }
}
