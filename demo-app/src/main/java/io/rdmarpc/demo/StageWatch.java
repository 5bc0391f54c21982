package io.rdmarpc.demo;

import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/**
 * Follows one call through the server: notes when it reaches each stage. Off, as nearly always, it costs each call the read
 * of a field. Any thread.
 */
@Component
@Profile({"server", "both"})
public class StageWatch {

    private static final ThreadLocal<@Nullable Visit> VISITS = new ThreadLocal<>();

    private volatile @Nullable String watched;
    private volatile @Nullable StageTimes seen;

    /** One call on its thread. Only that thread writes. */
    private static final class Visit {
        private final long arrived;
        private final long started = System.nanoTime();
        private long methodStarted;
        private long methodEnded;

        private Visit(long arrived) {
            this.arrived = arrived;
        }
    }

    /** Watches for an order; the last one is forgotten. */
    public void watchFor(String orderId) {
        seen = null;
        watched = orderId;
    }

    /** What was seen of the order; the answer may be with the caller before the last stage is noted. Ends the watch. */
    public @Nullable StageTimes take(String orderId) {
        StageTimes times = orderId.equals(watched) ? seen : null;
        if (times != null) {
            watched = null;
        }
        return times;
    }

    /** Whether a call of interest may come. */
    public boolean isOn() {
        return watched != null;
    }

    /** Runs what answers a call that came in at some time. */
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
