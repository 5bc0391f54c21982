package io.rdmarpc.concurrent;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still until a test moves it. Any thread. */
public final class FakeClock implements NanoClock {

    private final AtomicLong now;

    /** Starts at an arbitrary time, which is not 0, as the real one does. */
    public FakeClock() {
        this(1_000_000_000_000L);
    }

    /** Starts at the given time, such as shortly before an overflow. */
    public FakeClock(long startNanos) {
        now = new AtomicLong(startNanos);
    }

    @Override
    public long nanoTime() {
        return now.get();
    }

    /** Moves on. */
    public void advance(Duration by) {
        advanceNanos(by.toNanos());
    }

    /** Moves on. */
    public void advanceNanos(long nanos) {
        now.addAndGet(nanos);
    }
}
