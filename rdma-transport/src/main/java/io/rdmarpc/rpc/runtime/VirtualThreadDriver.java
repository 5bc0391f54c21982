package io.rdmarpc.rpc.runtime;

import io.rdmarpc.concurrent.CarrierWait;
import io.rdmarpc.concurrent.FailureLog;
import io.rdmarpc.concurrent.LoopOwnership;
import io.rdmarpc.concurrent.NanoClock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;

/**
 * Runs an event loop on a virtual thread while virtual threads have commands for it: waiting callers, and methods that
 * respond. They and the driver then share the same carriers, without system calls. Their packets leave together, and a
 * caller continues on the carrier that found its response. The polling thread, which they would otherwise wake each
 * time, yields the loop. {@link LoopOwnership} has the states.
 *
 * <p>Carriers may be busy with other work, and a virtual thread cannot be forced to run. So the driver releases the
 * loop whenever it yields to other virtual threads. It never parks to wait for the loop, because it would then need a
 * carrier to continue. If it has not run the loop for a millisecond, the polling thread takes the loop over. After two
 * such losses in a row it rests for a while. Within a cycle it waits for the locks of the device on its carrier ({@link
 * CarrierWait}). Application code in a cycle (inline methods and response handlers) may still park. If it then waits
 * too long for a carrier, the driver leaves the loop to the polling thread. This counts as a loss.
 */
final class VirtualThreadDriver implements Runnable, LoopOwnership.OnDemandDriver {

    /** Cycles without work before the driver leaves the loop to the polling thread, which can sleep. */
    static final int IDLE_CYCLES = 2048;

    /**
     * Cycles without work, some 10 µs, before the first yield of the core: a method on another carrier may wait for the
     * core. Further yields follow each time this number of cycles has doubled. They are rare because each one may end a
     * series of calls.
     */
    private static final int FIRST_YIELD = 128;

    /** From this number of cycles without work on, the driver yields its core after each cycle. */
    private static final int SPINS = 512;

    /**
     * Interval of yields to other virtual threads that became ready without the driver. If none is ready, the check
     * wakes another carrier, so it is not done after each cycle.
     */
    private static final int IDLE_CYCLES_PER_YIELD = 16;

    /** How long the driver waits, on its carrier, for a polling thread that is running a method. */
    static final long ACQUIRE_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    /**
     * Time limit of the cycles between two yields. The polling thread waits as long before it acquires a loop that no
     * thread runs.
     */
    static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Each loss stops the loop for a millisecond; a single loss may be chance. */
    private static final int LOSSES_BEFORE_REST = 2;

    static final long FIRST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final int REST_DOUBLINGS = 7;

    private final FailureLog failures = new FailureLog(System.getLogger(VirtualThreadDriver.class.getName()));
    private final LoopOwnership ownership;
    private final IntSupplier dutyCycle;
    private final YieldBackoff yieldBackoff;
    private final NanoClock clock;

    /** Created by the thread that starts the engine, so that it inherits nothing from the first caller. */
    private final Thread thread;

    private volatile boolean started;
    private volatile boolean ended;

    /** Number of losses in a row: the polling thread ran the loop instead, or a cycle took too long. */
    private int losses;

    private volatile boolean resting;
    private volatile long restUntilNanos;

    /**
     * Creates the driver; its thread starts with the first request.
     *
     * @param name name of the thread
     * @param ownership the loop's ownership
     * @param dutyCycle runs the loop once and returns how much work it did
     * @param yieldBackoff lets other kernel threads run
     * @param clock the time source
     */
    VirtualThreadDriver(
            String name, LoopOwnership ownership, IntSupplier dutyCycle, YieldBackoff yieldBackoff, NanoClock clock) {
        this.thread = Thread.ofVirtual().name(name).unstarted(this);
        this.ownership = ownership;
        this.dutyCycle = dutyCycle;
        this.yieldBackoff = yieldBackoff;
        this.clock = clock;
    }

    /** Returns false while the driver rests. */
    @Override
    public boolean isAvailable() {
        if (resting && clock.nanoTime() - restUntilNanos >= 0) {
            resting = false;
        }
        return !resting;
    }

    /** Called by one thread at a time: the thread that has requested the driver. */
    @Override
    public void wake() {
        if (started) {
            LockSupport.unpark(thread);
        } else {
            started = true;
            thread.start();
        }
    }

    /** Ends the driver's thread. Called when the polling thread stops. */
    void end() {
        ended = true;
        ownership.detachDriver();
        LockSupport.unpark(thread);
    }

    @Override
    public void run() {
        CarrierWait.run(yieldBackoff::relinquish, this::live);
    }

    private void live() {
        while (!ended) {
            if (ownership.isDriverRequested()) {
                driveSafely();
            } else {
                // Application code that ran in a cycle may have left an interrupt, with which no thread can park.
                boolean _ = Thread.interrupted();
                LockSupport.park(this);
            }
        }
    }

    private void driveSafely() {
        try {
            drive();
        } catch (Throwable e) {
            failures.report("the virtual-thread driver of an event loop failed and waits for its next request", e);
        }
    }

    private void drive() {
        try {
            if (!acquire()) {
                count(!ownership.isOwnedByDefault());
            } else if (ownership.beginDriving()) {
                count(runCycles());
            }
        } finally {
            ownership.endDriving();
            if (ownership.isMine()) {
                ownership.release();
            }
            ownership.wakeDefaultOwner();
        }
    }

    /** Requests the loop from the polling thread. A caller that runs the loop keeps it. */
    private boolean acquire() {
        if (ownership.tryAcquire()) {
            return true;
        }
        if (!ownership.isOwnedByDefault() || !ownership.request()) {
            return false;
        }
        long since = clock.nanoTime();
        while (!ownership.isMine() && !ownership.tryAcquire() && isWorthWaiting(since)) {
            boolean _ = yieldBackoff.relinquish();
        }
        return !ownership.withdraw() || ownership.isMine();
    }

    private boolean isWorthWaiting(long sinceNanos) {
        return clock.nanoTime() - sinceNanos < ACQUIRE_NANOS && !ended && ownership.isDriverRequested();
    }

    /**
     * Returns false after a loss: the polling thread has taken the loop over because this thread had no carrier, or a
     * cycle took too long.
     */
    private boolean runCycles() {
        ownership.takeOver();
        int idle = 0;
        long latest = clock.nanoTime() + LATE_NANOS;
        while (idle < IDLE_CYCLES && mayContinue()) {
            idle = dutyCycle.getAsInt() > 0 ? 0 : idle + 1;
            if (isTimeToYield(idle) && yieldBackoff.relinquish()) {
                // Another program uses the core. A sleeping polling thread is woken by packets and needs no time slice
                // to end.
                return true;
            }
            if (idle % IDLE_CYCLES_PER_YIELD == 0) {
                if (clock.nanoTime() - latest > 0) {
                    // Application code in a cycle has parked or taken long. The polling thread needs no carrier to
                    // continue.
                    return false;
                }
                if (!letVirtualThreadsRun()) {
                    return ownership.isDriving() && !ownership.isOwnedByDefault();
                }
                latest = clock.nanoTime() + LATE_NANOS;
            } else {
                Thread.onSpinWait();
            }
        }
        return true;
    }

    private static boolean isTimeToYield(int idle) {
        return idle > SPINS || (idle >= FIRST_YIELD && Integer.bitCount(idle) == 1);
    }

    private boolean mayContinue() {
        return !ownership.isRequested() && !ownership.isClosed() && !ended && ownership.isDriving();
    }

    /** Returns false if another thread runs the loop now. */
    @SuppressWarnings("ThreadPriorityCheck") // The other virtual threads do the work.
    private boolean letVirtualThreadsRun() {
        boolean _ = ownership.countTakeover();
        ownership.release();
        Thread.yield();
        return ownership.tryAcquire();
    }

    private void count(boolean kept) {
        losses = kept ? 0 : losses + 1;
        if (losses >= LOSSES_BEFORE_REST) {
            int doublings = Math.min(losses - LOSSES_BEFORE_REST, REST_DOUBLINGS);
            restUntilNanos = clock.nanoTime() + (FIRST_REST_NANOS << doublings);
            resting = true;
        }
    }
}
