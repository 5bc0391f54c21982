package io.rdmarpc.concurrent;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Spins, then yields, then parks for a time that doubles from the shortest to the longest. Any work starts over.
 *
 * <p>Why no wake-up is lost: the loop first says that it sleeps and then looks for work once more; a producer first
 * publishes its work and then looks whether the loop sleeps. Whichever comes second sees the other.
 */
public final class BackoffIdleStrategy implements IdleStrategy {

    private static final VarHandle SLEEPER = sleeperHandle();

    private final BooleanSupplier hasWork;
    private final int spins;
    private final int yields;
    private final long minParkNanos;
    private final long maxParkNanos;

    private int idleRounds;
    private long parkNanos;

    /** The thread that sleeps or is about to; null while the loop is awake. */
    private volatile @Nullable Thread sleeper;

    /**
     * Creates the strategy of one loop.
     *
     * @param hasWork whether a round would find something that a producer published before {@link #wake}; asked by the
     *     loop's thread just before it parks
     * @param spins rounds without work to spin
     * @param yields further rounds to yield the processor
     * @param minPark the first sleep
     * @param maxPark the longest sleep
     */
    public BackoffIdleStrategy(BooleanSupplier hasWork, int spins, int yields, Duration minPark, Duration maxPark) {
        if (spins < 0 || yields < 0 || minPark.toNanos() < 1 || maxPark.compareTo(minPark) < 0) {
            throw new IllegalArgumentException("back-off of " + spins + " spins, " + yields + " yields, sleeps of "
                    + minPark + " to " + maxPark + ": counts from 0, times over 0 and in order");
        }
        this.hasWork = hasWork;
        this.spins = spins;
        this.yields = yields;
        this.minParkNanos = minPark.toNanos();
        this.maxParkNanos = maxPark.toNanos();
        this.parkNanos = minParkNanos;
    }

    private static VarHandle sleeperHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(BackoffIdleStrategy.class, "sleeper", Thread.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // yielding is what was asked for
    public void idle(int workCount) {
        if (workCount > 0) {
            startOver();
        } else if (idleRounds < spins) {
            idleRounds++;
            Thread.onSpinWait();
        } else if (idleRounds - spins < yields) {
            idleRounds++;
            Thread.yield();
        } else {
            park();
        }
    }

    private void startOver() {
        idleRounds = 0;
        parkNanos = minParkNanos;
    }

    private void park() {
        sleeper = Thread.currentThread();
        VarHandle.fullFence(); // hasWork may use weaker reads than the order above needs
        if (hasWork.getAsBoolean()) {
            sleeper = null;
            startOver();
            return;
        }
        LockSupport.parkNanos(this, parkNanos);
        sleeper = null;
        parkNanos = parkNanos > maxParkNanos / 2 ? maxParkNanos : 2 * parkNanos;
    }

    long nextParkNanos() {
        return parkNanos;
    }

    @Override
    public void wake() {
        if (sleeper == null) {
            return;
        }
        Thread asleep = (Thread) SLEEPER.getAndSet(this, null);
        if (asleep != null) {
            LockSupport.unpark(asleep);
        }
    }
}
