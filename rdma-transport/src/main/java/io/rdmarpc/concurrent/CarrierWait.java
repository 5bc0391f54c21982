package io.rdmarpc.concurrent;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Bounded spin waits of a virtual thread that runs an event loop for other threads. Such a thread does not park for a
 * lock. A parked virtual thread needs a carrier to continue. Other virtual threads may occupy all carriers for a long
 * time, and no thread can run the loop meanwhile. This class is meant for locks that are held for microseconds by
 * threads that do not park meanwhile. The wait is bounded because the lock's owner may lack a carrier as well.
 */
public final class CarrierWait {

    private static final ScopedValue<Runnable> YIELD_ACTION = ScopedValue.newInstance();

    private CarrierWait() {}

    /**
     * Runs a task in which {@link #await} keeps the carrier.
     *
     * @param yieldAction lets other threads of the operating system run
     * @param task the task, which runs on this thread
     */
    public static void run(Runnable yieldAction, Runnable task) {
        ScopedValue.where(YIELD_ACTION, yieldAction).run(task);
    }

    /**
     * Retries an attempt without releasing the carrier, if this thread runs a task of {@link #run}.
     *
     * @param attempt returns whether it succeeded
     * @param patienceNanos how long to retry, in nanoseconds
     * @return true if an attempt succeeded; false if the time limit has passed, or if this thread runs no such task and
     *     may therefore park
     */
    public static boolean await(BooleanSupplier attempt, long patienceNanos) {
        @Nullable Runnable yieldAction = YIELD_ACTION.isBound() ? YIELD_ACTION.get() : null;
        if (yieldAction == null) {
            return false;
        }
        long since = System.nanoTime();
        while (System.nanoTime() - since < patienceNanos) {
            if (attempt.getAsBoolean()) {
                return true;
            }
            yieldAction.run();
        }
        return false;
    }
}
