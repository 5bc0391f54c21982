package io.rdmarpc.verbs.soft.progress;

import io.rdmarpc.concurrent.FailureLog;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Which queue pairs have something to do: packets to send now, in turns so that none starves the others, and answers to wait
 * for. Idle queue pairs cost nothing.
 */
public final class Schedule {

    /** Turns taken in one go; each sends a bounded number of packets. */
    private static final int TURNS = 8;

    /** A queue pair that sends in turns. */
    public interface Ready {

        /** Returns its number, for reports of failures. */
        int number();

        /** Has its turn. */
        void runScheduled();

        /** It has failed in its turn or on a time-out. */
        void onScheduledFailure();
    }

    /** A queue pair that waits for answers. */
    public interface Waiting extends Ready {

        /** Returns when it is to be looked at. */
        long deadlineNanos();

        /** Looks at the clock; false when there is nothing more to wait for. */
        boolean checkDeadline(long now);
    }

    private final Deque<Ready> ready = new ArrayDeque<>();
    private final List<Waiting> waiting = new ArrayList<>();
    private final FailureLog failures;
    private long nextLookNanos;

    public Schedule(FailureLog failures) {
        this.failures = failures;
    }

    /** Puts a queue pair in line; called once until its turn came. */
    public void addReady(Ready qp) {
        ready.add(qp);
    }

    /** Watches a queue pair's deadline; called once until it was found to wait no more. */
    public void addWaiting(Waiting qp, long deadlineNanos) {
        if (waiting.isEmpty() || deadlineNanos - nextLookNanos < 0) {
            nextLookNanos = deadlineNanos;
        }
        waiting.add(qp);
    }

    /** Looks at deadlines at that time at the latest. */
    public void lookBy(long deadlineNanos) {
        if (deadlineNanos - nextLookNanos < 0) {
            nextLookNanos = deadlineNanos;
        }
    }

    /** Tells whether a queue pair waits for its turn. */
    boolean hasReady() {
        return !ready.isEmpty();
    }

    /** Tells whether anybody has a deadline. */
    public boolean hasDeadlines() {
        return !waiting.isEmpty();
    }

    /** Returns how long after some time the deadlines need a look, negative when before it. */
    public long nanosToLook(long from) {
        return waiting.isEmpty() ? Long.MAX_VALUE : nextLookNanos - from;
    }

    public void runReady() {
        for (int turns = Math.min(TURNS, ready.size()); turns > 0; turns--) {
            runScheduled(ready.remove());
        }
    }

    /** What fails in one queue pair is the end of that one. */
    private void runScheduled(Ready qp) {
        try {
            qp.runScheduled();
        } catch (Throwable e) {
            failures.report("queue pair " + qp.number() + " failed in its turn", e);
            qp.onScheduledFailure();
        }
    }

    /** Looks at deadlines when the earliest has come; one that moved on meanwhile is looked at again then. */
    public void runTimers(long now) {
        if (waiting.isEmpty() || now - nextLookNanos < 0) {
            return;
        }
        long earliest = Long.MAX_VALUE;
        for (int i = waiting.size() - 1; i >= 0; i--) {
            Waiting qp = waiting.get(i);
            if (goesOn(qp, now)) {
                earliest = Math.min(earliest, qp.deadlineNanos() - now);
            } else {
                waiting.set(i, waiting.getLast());
                waiting.removeLast();
            }
        }
        nextLookNanos = now + earliest;
    }

    private boolean goesOn(Waiting qp, long now) {
        try {
            return qp.checkDeadline(now);
        } catch (Throwable e) {
            failures.report("queue pair " + qp.number() + " failed on a time-out", e);
            qp.onScheduledFailure();
            return false;
        }
    }
}
