package io.rdmarpc.rpc.engine.transfer;

import io.rdmarpc.rpc.config.LoadLimits;
import io.rdmarpc.rpc.engine.context.EngineCounters;
import io.rdmarpc.rpc.engine.context.EngineCounters.Counter;
import java.util.concurrent.TimeUnit;

/**
 * Decides which calls a server does not take on, and when their callers should come back: after about the time that a
 * call takes here. Engine thread only, but for {@link #waitedTooLong}.
 */
public final class LoadShedding {

    private static final int MEAN_WEIGHT = 8;
    private static final long LONGEST_HINT_MILLIS = TimeUnit.SECONDS.toMillis(10);

    private final EngineCounters counters;
    private final int most;
    private final int mostBeforeRead;
    private final long longestQueueNanos;
    private final String fullText;
    private final String fullBeforeReadText;
    private long meanNanos;
    /** Large requests on their way here, which count before they are dispatched. */
    private int fetching;

    public LoadShedding(LoadLimits limits, EngineCounters counters) {
        this.counters = counters;
        this.most = orAny(limits.maxConcurrentCalls());
        this.mostBeforeRead = Math.min(most, orAny(limits.maxCallsBeforeRead()));
        this.longestQueueNanos = limits.maxQueueTime().isZero()
                ? Long.MAX_VALUE
                : limits.maxQueueTime().toNanos();
        this.fullText = fullText(most);
        this.fullBeforeReadText = fullText(mostBeforeRead);
    }

    private static int orAny(int limit) {
        return limit == 0 ? Integer.MAX_VALUE : limit;
    }

    /** Tells whether another call is one too many. */
    public boolean isFull(boolean large) {
        return unanswered() >= (large ? mostBeforeRead : most);
    }

    /** Returns whether there is one call too many, the large request that was counted last included. */
    public boolean isOverfull() {
        return unanswered() > mostBeforeRead;
    }

    /** Returns how many large requests may be fetched at a time, besides the calls that are here. */
    long mostFetching() {
        return mostBeforeRead - (unanswered() - fetching);
    }

    private long unanswered() {
        return counters.get(Counter.REQUESTS_DISPATCHED) - counters.get(Counter.REQUESTS_ANSWERED) + fetching;
    }

    public String fullText(boolean large) {
        return large ? fullBeforeReadText : fullText;
    }

    private static String fullText(int most) {
        return "the server works on " + most + " calls, as many as it takes; this one was not run";
    }

    /** The READ of a request begins; {@link #onFetched} follows, whatever becomes of it. */
    public void onFetch() {
        fetching++;
    }

    /** The READ of a request has ended; where it succeeded the call is dispatched, and counts as such. */
    public void onFetched() {
        fetching--;
    }

    /** Any thread. */
    public boolean waitedTooLong(long queuedNanos) {
        return queuedNanos > longestQueueNanos;
    }

    /** A call has left: the mean of the last few follows it. */
    public void onAnswered(long nanosHere) {
        meanNanos += (nanosHere - meanNanos) / MEAN_WEIGHT;
    }

    public int retryMillis() {
        return hintMillis(meanNanos);
    }

    /** Whole milliseconds, rounded up, within reason. */
    public static int hintMillis(long nanos) {
        long millis = TimeUnit.NANOSECONDS.toMillis(Math.max(0, nanos)) + 1;
        return (int) Math.min(millis, LONGEST_HINT_MILLIS);
    }
}
