package io.rdmarpc.stress;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * A barrier for the two actors of a test, so that they race in every run. After the barrier each actor pauses for a
 * random time of up to some hundred nanoseconds, so that either may be first, by any margin.
 *
 * <p>The barrier orders memory: each actor sees all writes of the other one before it. Both actors must reach it.
 */
public final class Meeting {

    private static final VarHandle ARRIVED = arrivedHandle();
    private static final int ACTORS = 2;
    private static final int SPINS_PER_YIELD = 2000;
    private static final int LONGEST_PAUSE = 64;
    private static final int LONG_PAUSE_BITS = 14;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private volatile int arrived;
    private volatile int paused;

    /** Creates a barrier for a single use. */
    public Meeting() {}

    private static VarHandle arrivedHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(Meeting.class, "arrived", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * Waits for the other actor, then for a random time.
     *
     * @throws IllegalStateException if the other actor does not arrive within 20 s because it has failed
     */
    public void await() {
        awaitWithoutPause();
        pause(ThreadLocalRandom.current().nextInt(LONGEST_PAUSE));
    }

    /**
     * Waits for the other actor, then for a random time of up to some microseconds. Short times are as likely as long
     * ones.
     *
     * @throws IllegalStateException if the other actor does not arrive within 20 s because it has failed
     */
    public void awaitForLong() {
        awaitWithoutPause();
        ThreadLocalRandom random = ThreadLocalRandom.current();
        pause(random.nextInt(1 << random.nextInt(LONG_PAUSE_BITS)));
    }

    private void pause(int length) {
        for (int i = 0; i < length; i++) {
            int _ = paused;
        }
    }

    /**
     * Waits for the other actor.
     *
     * @throws IllegalStateException if the other actor does not arrive within 20 s because it has failed
     */
    @SuppressWarnings("ThreadPriorityCheck") // The other actor may need this core.
    public void awaitWithoutPause() {
        int before = (int) ARRIVED.getAndAdd(this, 1);
        long since = 0;
        for (int spins = 1; before < ACTORS - 1 && arrived < ACTORS; spins++) {
            if (spins % SPINS_PER_YIELD != 0) {
                Thread.onSpinWait();
                continue;
            }
            Thread.yield();
            long now = System.nanoTime();
            since = since == 0 ? now : since;
            if (now - since > PATIENCE_NANOS) {
                throw new IllegalStateException(
                        "the other actor did not arrive within 20 s; check whether it has failed");
            }
        }
    }
}
