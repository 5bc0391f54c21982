package io.rdmarpc.demo.live.load;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Admits callers while it is open and counts those inside. Any thread may enter and leave; one thread opens and closes.
 */
public final class Turnstile {

    private static final long POLL_INTERVAL_NANOS = 50_000;

    private final AtomicInteger inside = new AtomicInteger();
    private volatile CountDownLatch closed = new CountDownLatch(1);

    public void enter() throws InterruptedException {
        while (!enter(Duration.ofHours(1))) {
            // The turnstile stayed closed for the whole limit, or closed again meanwhile.
        }
    }

    /** Enters. Returns false if the turnstile stayed closed for the whole limit, or closed again meanwhile. */
    @SuppressWarnings("ReferenceEquality") // identity: the same latch
    public boolean enter(Duration limit) throws InterruptedException {
        CountDownLatch latch = closed;
        if (!latch.await(limit.toNanos(), TimeUnit.NANOSECONDS)) {
            return false;
        }
        inside.incrementAndGet();
        if (latch == closed) {
            return true;
        }
        inside.decrementAndGet();
        return false;
    }

    public void leave() {
        inside.decrementAndGet();
    }

    void open() {
        closed.countDown();
    }

    void close() {
        closed = new CountDownLatch(1);
    }

    int inside() {
        return inside.get();
    }

    /** Waits until no caller is inside. Returns false if a caller is still inside after the limit. */
    boolean awaitEmpty(Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        while (inside.get() > 0) {
            if (System.nanoTime() - end >= 0) {
                return false;
            }
            LockSupport.parkNanos(this, POLL_INTERVAL_NANOS);
        }
        return true;
    }
}
