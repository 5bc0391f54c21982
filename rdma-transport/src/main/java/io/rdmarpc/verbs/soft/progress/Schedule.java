package io.rdmarpc.verbs.soft.progress;

import io.rdmarpc.concurrent.FailureLog;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The queue pairs that have work: packets to send now, in round-robin order so that none starves, and deadlines of
 * responses. Idle queue pairs cost nothing.
 */
public final class Schedule {

    /** Maximum number of queue pairs in one run; each sends a bounded number of packets. */
    private static final int MAX_RUNS = 8;

    /** A queue pair that can be scheduled to send. */
    public interface Ready {

        /** Returns its number, for log messages. */
        int number();

        /** Sends packets. */
        void runScheduled();

        /** Handles a failure of {@link #runScheduled} or of a timeout. */
        void onScheduledFailure();
    }

    /** A queue pair that waits for responses. */
    public interface Waiting extends Ready {

        /** Returns the time of its next deadline check. */
        long deadlineNanos();

        /** Checks the deadline; returns false if no response is outstanding. */
        boolean checkDeadline(long now);
    }

    private final Deque<Ready> ready = new ArrayDeque<>();
    private final List<Waiting> waiting = new ArrayList<>();
    private final FailureLog failures;
    private long nextCheckNanos;

    public Schedule(FailureLog failures) {
        this.failures = failures;
    }

    /** Adds a queue pair to the ready queue; it must not be in the queue. */
    public void addReady(Ready qp) {
        ready.add(qp);
    }

    /** Watches a queue pair's deadline; it must not be watched already. */
    public void addWaiting(Waiting qp, long deadlineNanos) {
        if (waiting.isEmpty() || deadlineNanos - nextCheckNanos < 0) {
            nextCheckNanos = deadlineNanos;
        }
        waiting.add(qp);
    }

    /** Checks the deadlines at this time at the latest; an earlier check stays as it is. */
    public void checkBy(long deadlineNanos) {
        if (deadlineNanos - nextCheckNanos < 0) {
            nextCheckNanos = deadlineNanos;
        }
    }

    /** Returns whether a queue pair is ready. */
    boolean hasReady() {
        return !ready.isEmpty();
    }

    /** Returns whether a queue pair has a deadline. */
    public boolean hasDeadlines() {
        return !waiting.isEmpty();
    }

    /** Returns the nanoseconds from a time to the next deadline check, negative if it is overdue. */
    public long nanosToCheck(long from) {
        return waiting.isEmpty() ? Long.MAX_VALUE : nextCheckNanos - from;
    }

    public void runReady() {
        for (int runs = Math.min(MAX_RUNS, ready.size()); runs > 0; runs--) {
            runScheduled(ready.remove());
        }
    }

    /** Runs one queue pair, whose failure does not affect others. */
    private void runScheduled(Ready qp) {
        try {
            qp.runScheduled();
        } catch (Throwable e) {
            failures.report("queue pair " + qp.number() + " failed to send", e);
            qp.onScheduledFailure();
        }
    }

    /**
     * Checks all deadlines once the earliest has passed. A deadline that has moved is checked again at its new time.
     */
    public void runTimers(long now) {
        if (waiting.isEmpty() || now - nextCheckNanos < 0) {
            return;
        }
        long earliest = Long.MAX_VALUE;
        for (int i = waiting.size() - 1; i >= 0; i--) {
            Waiting qp = waiting.get(i);
            if (staysWaiting(qp, now)) {
                earliest = Math.min(earliest, qp.deadlineNanos() - now);
            } else {
                waiting.set(i, waiting.getLast());
                waiting.removeLast();
            }
        }
        nextCheckNanos = now + earliest;
    }

    private boolean staysWaiting(Waiting qp, long now) {
        try {
            return qp.checkDeadline(now);
        } catch (Throwable e) {
            failures.report("queue pair " + qp.number() + " failed on a timeout", e);
            qp.onScheduledFailure();
            return false;
        }
    }
}
