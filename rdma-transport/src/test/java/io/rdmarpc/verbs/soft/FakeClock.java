package io.rdmarpc.verbs.soft;

import java.util.function.LongSupplier;

/** A clock that a test advances. */
final class FakeClock implements LongSupplier {

    private long now = Long.MAX_VALUE - 5_000_000_000L; // The sum of a time and a timeout may overflow.

    @Override
    public long getAsLong() {
        return now;
    }

    void advanceMicros(long micros) {
        now += micros * 1000;
    }
}
