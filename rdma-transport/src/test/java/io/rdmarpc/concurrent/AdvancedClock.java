package io.rdmarpc.concurrent;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** The system's clock plus an offset, which a test advances instead of waiting. Any thread. */
public final class AdvancedClock implements NanoClock {

    private final AtomicLong ahead = new AtomicLong();

    @Override
    public long nanoTime() {
        return System.nanoTime() + ahead.get();
    }

    /** Advances the time. */
    public void advance(Duration by) {
        ahead.addAndGet(by.toNanos());
    }
}
