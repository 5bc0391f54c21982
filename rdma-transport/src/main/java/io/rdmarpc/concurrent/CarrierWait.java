package io.rdmarpc.concurrent;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Waits on its carrier, for a virtual thread that turns a loop for others. A virtual thread that has parked needs a carrier to go
 * on, which others may occupy for long, and no thread can turn the loop meanwhile. It waits so for locks that are held for
 * microseconds by threads that do not park meanwhile. The wait has an end, since the lock's owner may be without a carrier, too.
 */
public final class CarrierWait {

    private static final ScopedValue<Runnable> OFFER = ScopedValue.newInstance();

    private CarrierWait() {}

    /**
     * Runs a task of which others wait for each step.
     *
     * @param offer lets other threads of the kernel run
     * @param task what to run, on this thread
     */
    public static void run(Runnable offer, Runnable task) {
        ScopedValue.where(OFFER, offer).run(task);
    }

    /**
     * Waits for something without its carrier being taken, where this thread {@linkplain #run must}.
     *
     * @param attempt tries it
     * @param patienceNanos how long to try
     * @return true when it was done; false when it was not in time, or this thread may wait as others do
     */
    public static boolean await(BooleanSupplier attempt, long patienceNanos) {
        @Nullable Runnable offer = OFFER.isBound() ? OFFER.get() : null;
        if (offer == null) {
            return false;
        }
        long since = System.nanoTime();
        while (System.nanoTime() - since < patienceNanos) {
            if (attempt.getAsBoolean()) {
                return true;
            }
            offer.run();
        }
        return false;
    }
}
