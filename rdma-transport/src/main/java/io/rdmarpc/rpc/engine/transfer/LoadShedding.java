package io.rdmarpc.rpc.engine.transfer;

import io.rdmarpc.rpc.config.LoadLimits;
import io.rdmarpc.rpc.engine.context.EngineCounters;
import io.rdmarpc.rpc.engine.context.EngineCounters.Counter;
import java.util.concurrent.TimeUnit;

/**
 * Decides which calls a server rejects, and when their callers should retry. The pause is about the mean time of a call
 * at this server. Engine thread only, except {@link #waitedTooLong}.
 */
public final class LoadShedding {

    private static final int MEAN_WEIGHT = 8;
    private static final long LONGEST_HINT_MILLIS = TimeUnit.SECONDS.toMillis(10);

    private final EngineCounters counters;
    private final int max;
    private final int maxBeforeRead;
    private final long longestQueueNanos;
    private final String fullText;
    private final String fullBeforeReadText;
    private long meanNanos;
    /** Number of large requests that are being READ, which count before they are dispatched. */
    private int reading;

    public LoadShedding(LoadLimits limits, EngineCounters counters) {
        this.counters = counters;
        this.max = orAny(limits.maxConcurrentCalls());
        this.maxBeforeRead = Math.min(max, orAny(limits.maxCallsBeforeRead()));
        this.longestQueueNanos = limits.maxQueueTime().isZero()
                ? Long.MAX_VALUE
                : limits.maxQueueTime().toNanos();
        this.fullText = fullText(max);
        this.fullBeforeReadText = fullText(maxBeforeRead);
    }

    private static int orAny(int limit) {
        return limit == 0 ? Integer.MAX_VALUE : limit;
    }

    /** Returns whether the limit is reached, so that another call has to be rejected. */
    public boolean isFull(boolean large) {
        return unfinished() >= (large ? maxBeforeRead : max);
    }

    /** Returns whether the limit is exceeded, including the large request that was counted last. */
    public boolean isOverfull() {
        return unfinished() > maxBeforeRead;
    }

    /** Returns how many large requests may be READ concurrently, in addition to the running calls. */
    long maxReading() {
        return maxBeforeRead - (unfinished() - reading);
    }

    private long unfinished() {
        return counters.get(Counter.REQUESTS_DISPATCHED) - counters.get(Counter.REQUESTS_COMPLETED) + reading;
    }

    public String fullText(boolean large) {
        return large ? fullBeforeReadText : fullText;
    }

    private static String fullText(int max) {
        return "the server already runs its limit of " + max + " calls; this call has not run";
    }

    /** Counts a request whose READ begins. {@link #onFetched} always follows. */
    public void onFetch() {
        reading++;
    }

    /** Ends the count of a request whose READ has ended. After success the call is dispatched and counts as running. */
    public void onFetched() {
        reading--;
    }

    /** Returns whether a call has waited too long for a thread. Thread-safe. */
    public boolean waitedTooLong(long queuedNanos) {
        return queuedNanos > longestQueueNanos;
    }

    /** Updates the mean time of the last calls after a call was completed. */
    public void onCompleted(long nanosHere) {
        meanNanos += (nanosHere - meanNanos) / MEAN_WEIGHT;
    }

    public int retryMillis() {
        return hintMillis(meanNanos);
    }

    /** Returns the next higher whole number of milliseconds, up to a limit. */
    public static int hintMillis(long nanos) {
        long millis = TimeUnit.NANOSECONDS.toMillis(Math.max(0, nanos)) + 1;
        return (int) Math.min(millis, LONGEST_HINT_MILLIS);
    }
}
