package io.rdmarpc.demo.live.load;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Lets callers in while it is open, and knows how many are inside. Callers: any thread; who opens and closes: one. */
public final class Turnstile {

    private static final long LOOK_AGAIN_NANOS = 50_000;

    private final AtomicInteger inside = new AtomicInteger();
    private volatile CountDownLatch closed = new CountDownLatch(1);

    public void enter() throws InterruptedException {
        while (!enter(Duration.ofHours(1))) {
            // Closed for that long, or again in the meantime.
        }
    }

    /** False when it was closed, for all that time or again in the meantime. */
    @SuppressWarnings("ReferenceEquality") // that very one
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

    /** True when the last one has left in that time. */
    boolean awaitEmpty(Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        while (inside.get() > 0) {
            if (System.nanoTime() - end >= 0) {
                return false;
            }
            LockSupport.parkNanos(this, LOOK_AGAIN_NANOS);
        }
        return true;
    }
}
