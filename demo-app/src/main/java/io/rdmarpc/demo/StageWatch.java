package io.rdmarpc.demo;

import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/**
 * Records the times at which one selected call reaches each stage at the server. While no order is watched, each call
 * costs one read of a volatile field. Thread-safe.
 */
@Component
@Profile({"server", "both", "training"})
public class StageWatch {

    private static final ThreadLocal<@Nullable Visit> VISITS = new ThreadLocal<>();

    private volatile @Nullable String watched;
    private volatile @Nullable StageTimes seen;

    /** The stages of one call on its thread. Only that thread writes. */
    private static final class Visit {
        private final long arrived;
        private final long started = System.nanoTime();
        private long methodStarted;
        private long methodEnded;

        private Visit(long arrived) {
            this.arrived = arrived;
        }
    }

    /** Watches for a call about this order and discards the previous watch. */
    public void watchFor(String orderId) {
        seen = null;
        watched = orderId;
    }

    /**
     * Returns the recorded stages of the order's call and ends the watch, or returns null if the call has not ended.
     * The caller may receive its response before the last stage is recorded.
     */
    public @Nullable StageTimes take(String orderId) {
        StageTimes times = orderId.equals(watched) ? seen : null;
        if (times != null) {
            watched = null;
        }
        return times;
    }

    /** Returns whether an order is being watched. */
    public boolean isOn() {
        return watched != null;
    }

    /** Runs the code that serves a call, and records its stages if the call is about the watched order. */
    public void follow(long arrivedNanos, Runnable work) {
        VISITS.set(new Visit(arrivedNanos));
        try {
            work.run();
        } finally {
            finish();
        }
    }

    private void finish() {
        Visit visit = VISITS.get();
        VISITS.remove();
        if (visit != null && visit.methodEnded != 0) {
            seen = new StageTimes(
                    visit.arrived, visit.started, visit.methodStarted, visit.methodEnded, System.nanoTime());
        }
    }

    void methodStarts(String orderId) {
        Visit visit = visitOf(orderId);
        if (visit != null) {
            visit.methodStarted = System.nanoTime();
        }
    }

    void methodEnds(String orderId) {
        Visit visit = visitOf(orderId);
        if (visit != null) {
            visit.methodEnded = System.nanoTime();
        }
    }

    private @Nullable Visit visitOf(String orderId) {
        return orderId.equals(watched) ? VISITS.get() : null;
    }
}
