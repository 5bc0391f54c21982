package io.rdmarpc.concurrent;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Reports failures of a thread that has to continue after every failure. Reporting never throws, even without memory or
 * stack. A failure that recurs is logged at most once a second, with the number of failures that were not logged.
 * Thread-safe.
 */
public final class FailureLog {

    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final System.Logger log;
    private final NanoClock clock;
    private final AtomicLong quietUntilNanos;
    private final AtomicInteger unreported = new AtomicInteger();

    /**
     * Creates a log that has reported no failure.
     *
     * @param log where failures are reported, at ERROR
     */
    public FailureLog(System.Logger log) {
        this(log, NanoClock.SYSTEM);
    }

    FailureLog(System.Logger log, NanoClock clock) {
        this.log = log;
        this.clock = clock;
        this.quietUntilNanos = new AtomicLong(clock.nanoTime());
    }

    /**
     * Reports a failure.
     *
     * @param what the part that failed, for the reader of the log
     * @param failure the throwable that was caught
     */
    public void report(String what, Throwable failure) {
        try {
            long now = clock.nanoTime();
            long quietUntil = quietUntilNanos.get();
            if (now - quietUntil < 0 || !quietUntilNanos.compareAndSet(quietUntil, now + INTERVAL_NANOS)) {
                unreported.incrementAndGet();
                return;
            }
            int others = unreported.getAndSet(0);
            log.log(
                    System.Logger.Level.ERROR,
                    others == 0 ? what : what + " (" + others + " failures since the last line were not reported)",
                    failure);
        } catch (Throwable _) {
            // No memory or stack remains for a log line, and the caller has to continue without it.
        }
    }
}
