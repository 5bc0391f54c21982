package io.rdmarpc.verbs.soft.rc;

import io.rdmarpc.verbs.soft.progress.Schedule;

/**
 * Registers one queue pair with the schedule of deadlines for as long as it waits for responses. Under the RNIC's lock.
 */
final class DeadlineWatch {

    private final Schedule schedule;
    private final Schedule.Waiting waiting;
    private boolean isWatched;

    DeadlineWatch(Schedule schedule, Schedule.Waiting waiting) {
        this.schedule = schedule;
        this.waiting = waiting;
    }

    /** Makes the schedule call {@link Schedule.Waiting#checkDeadline} at the deadline. */
    void watch() {
        if (isWatched) {
            schedule.checkBy(waiting.deadlineNanos());
        } else {
            isWatched = true;
            schedule.addWaiting(waiting, waiting.deadlineNanos());
        }
    }

    /** Stores and returns whether the queue pair still waits, after a call of the schedule. */
    boolean update(boolean waits) {
        isWatched = waits;
        return waits;
    }
}
