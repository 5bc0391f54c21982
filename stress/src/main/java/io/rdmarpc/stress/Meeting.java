package io.rdmarpc.stress;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Where the two actors of a test wait for each other, so that they race at each state and not by chance only. After the meeting each
 * actor pauses for a random time of up to some hundred nanoseconds: either may be first, by any distance.
 *
 * <p>A meeting orders memory: what an actor did before it, the other actor sees after it. Both actors must come.
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

    /** Makes one that is used once. */
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
     * @throws IllegalStateException if the other actor does not come within 20 s: it has failed
     */
    public void await() {
        awaitWithoutPause();
        pause(ThreadLocalRandom.current().nextInt(LONGEST_PAUSE));
    }

    /**
     * Waits for the other actor, then for a random time of up to some microseconds. Short times are as likely as long ones.
     *
     * @throws IllegalStateException if the other actor does not come within 20 s: it has failed
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
     * @throws IllegalStateException if the other actor does not come within 20 s: it has failed
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
                throw new IllegalStateException("the other actor has not come: has it failed?");
            }
        }
    }
}
