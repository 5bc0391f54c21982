package io.rdmarpc.concurrent;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stops until a test advances it. Any thread. */
public final class FakeClock implements NanoClock {

    private final AtomicLong now;

    /** Creates a clock at an arbitrary time other than 0, like the real one. */
    public FakeClock() {
        this(1_000_000_000_000L);
    }

    /** Creates a clock at the given time, for example shortly before an overflow. */
    public FakeClock(long startNanos) {
        now = new AtomicLong(startNanos);
    }

    @Override
    public long nanoTime() {
        return now.get();
    }

    /** Advances the time. */
    public void advance(Duration by) {
        advanceNanos(by.toNanos());
    }

    /** Advances the time. */
    public void advanceNanos(long nanos) {
        now.addAndGet(nanos);
    }
}
