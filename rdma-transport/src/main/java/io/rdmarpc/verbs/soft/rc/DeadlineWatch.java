package io.rdmarpc.verbs.soft.rc;

import io.rdmarpc.verbs.soft.progress.Schedule;

/** Has the schedule look at the deadline of one queue pair for as long as it waits for answers. Under the RNIC's lock. */
final class DeadlineWatch {

    private final Schedule schedule;
    private final Schedule.Waiting waiting;
    private boolean isWatched;

    DeadlineWatch(Schedule schedule, Schedule.Waiting waiting) {
        this.schedule = schedule;
        this.waiting = waiting;
    }

    /** Has the schedule call {@link Schedule.Waiting#checkDeadline} when the time has come. */
    void watch() {
        if (isWatched) {
            schedule.lookBy(waiting.deadlineNanos());
        } else {
            isWatched = true;
            schedule.addWaiting(waiting, waiting.deadlineNanos());
        }
    }

    /** Notes whether the queue pair still waits after the schedule has called it; returns the same. */
    boolean goesOn(boolean waits) {
        isWatched = waits;
        return waits;
    }
}
