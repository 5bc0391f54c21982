package io.rdmarpc.concurrent;

import java.time.Duration;

/**
 * Waits that an interrupt does not end: what is closed afterwards must not go from under a thread that still uses it. The
 * interrupt is kept for whoever looks for it later.
 */
public final class Uninterrupted {

    /** Something that takes a while. */
    public interface Wait {

        /**
         * Waits for the end.
         *
         * @param nanos how long at most, 0 for a look only
         * @return whether the end has come
         * @throws InterruptedException when the thread is interrupted
         */
        boolean isOver(long nanos) throws InterruptedException;
    }

    private Uninterrupted() {}

    /**
     * Waits for the end of something, not for ever.
     *
     * @param limit how long at most
     * @param wait what is waited for
     * @return false when the end has not come in time
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
     * Waits for the end of a thread that was started, not for ever.
     *
     * @param thread the thread
     * @param limit how long at most
     * @return false when it still runs
     */
    public static boolean join(Thread thread, Duration limit) {
        return await(limit, nanos -> thread.join(Duration.ofNanos(nanos)));
    }
}
