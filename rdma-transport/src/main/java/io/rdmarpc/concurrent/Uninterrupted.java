package io.rdmarpc.concurrent;

import java.time.Duration;

/**
 * Waits that an interrupt does not end, because a resource must not be closed while a thread still uses it. The
 * interrupt status is restored afterwards.
 */
public final class Uninterrupted {

    /** A condition that becomes true after some time. */
    public interface Wait {

        /**
         * Waits until the condition is true.
         *
         * @param nanos maximum time in nanoseconds, 0 to check only once
         * @return whether the condition is true
         * @throws InterruptedException if the thread is interrupted
         */
        boolean isOver(long nanos) throws InterruptedException;
    }

    private Uninterrupted() {}

    /**
     * Waits until a condition is true, for a limited time.
     *
     * @param limit the maximum time
     * @param wait the condition
     * @return false if the condition is not true after the limit
     */
    public static boolean await(Duration limit, Wait wait) {
        long deadline = System.nanoTime() + limit.toNanos();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return wait.isOver(Math.max(0, deadline - System.nanoTime()));
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Waits for the end of a thread that was started, for a limited time.
     *
     * @param thread the thread
     * @param limit the maximum time
     * @return false if the thread still runs
     */
    public static boolean join(Thread thread, Duration limit) {
        return await(limit, nanos -> thread.join(Duration.ofNanos(nanos)));
    }
}
