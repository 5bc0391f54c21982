package io.rdmarpc.service.server.call;

import java.util.concurrent.TimeUnit;

/**
 * Whether a method usually returns within microseconds. It becomes quick after many short runs in a row, and slow with its
 * first long run. Thread-safe. While nothing changes, it is only read for a quick method.
 */
final class MethodPace {

    /** A longer run makes the method slow. */
    static final long MAX_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    /** Number of short runs in a row that make the method quick. */
    static final int SHORT_RUNS = 256;

    private volatile boolean quick;

    /** Two threads may lose a run, which only delays the change. */
    private int shortRuns;

    boolean isQuick() {
        return quick;
    }

    /** Records a run: decoding, the method, and encoding. */
    void ran(long nanos) {
        if (nanos > MAX_NANOS) {
            becomeSlow();
        } else if (!quick && ++shortRuns >= SHORT_RUNS) {
            quick = true;
        }
    }

    void becomeSlow() {
        if (shortRuns != 0) {
            shortRuns = 0;
        }
        if (quick) {
            quick = false;
        }
    }
}
