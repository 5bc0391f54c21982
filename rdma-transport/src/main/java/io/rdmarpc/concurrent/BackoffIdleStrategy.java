package io.rdmarpc.concurrent;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Spins, then yields, then parks for a time that doubles from the shortest to the longest. After a cycle with work it
 * starts again with spinning.
 *
 * <p>No wake-up is lost. The loop publishes that it is about to sleep and then checks for work once more. A producer
 * publishes its work and then checks whether the loop sleeps. The second of the two therefore sees the write of the
 * first.
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

    /** The thread that sleeps or is about to sleep; null while the loop is awake. */
    private volatile @Nullable Thread sleeper;

    /**
     * Creates the strategy of one loop.
     *
     * @param hasWork returns whether a cycle would find work that a producer published before {@link #wake}; the loop's
     *     thread calls it just before it parks
     * @param spins number of cycles without work in which the loop only spins
     * @param yields number of further cycles without work in which it yields the processor
     * @param minPark the first park time
     * @param maxPark the longest park time
     */
    public BackoffIdleStrategy(BooleanSupplier hasWork, int spins, int yields, Duration minPark, Duration maxPark) {
        if (spins < 0 || yields < 0 || minPark.toNanos() < 1 || maxPark.compareTo(minPark) < 0) {
            throw new IllegalArgumentException("back-off with " + spins + " spins, " + yields
                    + " yields and park times of " + minPark + " to " + maxPark
                    + ": use counts of at least 0, and park times above 0 in ascending order.");
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
    @SuppressWarnings("ThreadPriorityCheck") // this strategy yields by design
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
        VarHandle.fullFence(); // hasWork may use weaker reads than this order needs
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
