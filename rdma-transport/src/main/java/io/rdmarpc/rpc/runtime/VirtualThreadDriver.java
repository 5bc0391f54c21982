package io.rdmarpc.rpc.runtime;

import io.rdmarpc.concurrent.CarrierWait;
import io.rdmarpc.concurrent.FailureLog;
import io.rdmarpc.concurrent.LoopOwnership;
import io.rdmarpc.concurrent.NanoClock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;

/**
 * Runs an event loop on a virtual thread while virtual threads have commands for it: callers that wait, methods that answer. They and
 * the driver then share the same carriers, without a system call: their packets leave together, and a caller continues on the carrier
 * that found its response. The polling thread, which they would have to wake each time, yields the loop. {@link LoopOwnership} has the
 * states.
 *
 * <p>Carriers may be busy with other work, and a virtual thread cannot be forced to run. So the driver releases the loop whenever it lets
 * other virtual threads run, does not wait for the loop without its carrier, and loses the loop to the polling thread when it has not run
 * it for a millisecond. After it has lost the loop several times it rests for a while. Within a cycle it waits for the locks of the
 * device on its carrier ({@link CarrierWait}). Users' code remains: inline methods and the handlers of responses. If that parks, and then
 * waits for a carrier, the driver leaves the loop to the polling thread afterwards, and rests after the second time.
 */
final class VirtualThreadDriver implements Runnable, LoopOwnership.OnDemandDriver {

    /** Cycles without work before it leaves the loop to the polling thread, which can sleep. */
    static final int IDLE_CYCLES = 2048;

    /**
     * Cycles without work, some 10 µs, before it first offers its core: a method that another carrier has taken may wait for that.
     * Again when their number has doubled. Rarely, as each offer may end a series of calls.
     */
    private static final int FIRST_OFFER = 128;

    /** From so many cycles without work on it offers its core after each. */
    private static final int SPINS = 512;

    /**
     * Other virtual threads may have become ready without the driver's doing. If none has, looking for them wakes another carrier: so not
     * after each cycle.
     */
    private static final int IDLE_CYCLES_PER_YIELD = 16;

    /** How long it waits, on its carrier, for a polling thread that runs a method just now. */
    static final long ACQUIRE_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    /** For a few cycles. The polling thread waits as long before it acquires a loop that no thread runs. */
    static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** The loop stands still for a millisecond each time it is lost; one loss may be chance. */
    private static final int LOSSES_BEFORE_REST = 2;

    static final long FIRST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final int REST_DOUBLINGS = 7;

    private final FailureLog failures = new FailureLog(System.getLogger(VirtualThreadDriver.class.getName()));
    private final LoopOwnership ownership;
    private final IntSupplier dutyCycle;
    private final YieldBackoff offer;
    private final NanoClock clock;

    /** Created by the thread that starts the engine: it must not inherit anything from the first caller. */
    private final Thread thread;

    private volatile boolean started;
    private volatile boolean ended;

    /** How often in a row the polling thread ran the loop instead. */
    private int losses;

    private volatile boolean resting;
    private volatile long restUntilNanos;

    /**
     * Describes the driver; its thread starts with the first request.
     *
     * @param name of the thread
     * @param ownership of the loop
     * @param dutyCycle runs the loop once and returns how much work it did
     * @param offer lets other threads of the kernel run
     * @param clock its time
     */
    VirtualThreadDriver(
            String name, LoopOwnership ownership, IntSupplier dutyCycle, YieldBackoff offer, NanoClock clock) {
        this.thread = Thread.ofVirtual().name(name).unstarted(this);
        this.ownership = ownership;
        this.dutyCycle = dutyCycle;
        this.offer = offer;
        this.clock = clock;
    }

    /** Returns false while it rests. */
    @Override
    public boolean isAvailable() {
        if (resting && clock.nanoTime() - restUntilNanos >= 0) {
            resting = false;
        }
        return !resting;
    }

    /** Called by one thread at a time: the one that has requested the driver. */
    @Override
    public void wake() {
        if (started) {
            LockSupport.unpark(thread);
        } else {
            started = true;
            thread.start();
        }
    }

    /** Ends its thread: the polling thread stops, too. */
    void end() {
        ended = true;
        ownership.detachDriver();
        LockSupport.unpark(thread);
    }

    @Override
    public void run() {
        CarrierWait.run(offer::relinquish, this::live);
    }

    private void live() {
        while (!ended) {
            if (ownership.isDriverRequested()) {
                driveSafely();
            } else {
                // Users' code that ran in a cycle may have left an interrupt, with which no thread can park.
                boolean _ = Thread.interrupted();
                LockSupport.park(this);
            }
        }
    }

    private void driveSafely() {
        try {
            drive();
        } catch (Throwable e) {
            failures.report("a virtual thread failed while it ran an event loop", e);
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

    /** The polling thread is requested to release the loop. A caller that runs the loop goes on with it. */
    private boolean acquire() {
        if (ownership.tryAcquire()) {
            return true;
        }
        if (!ownership.isOwnedByDefault() || !ownership.request()) {
            return false;
        }
        long since = clock.nanoTime();
        while (!ownership.isMine() && !ownership.tryAcquire() && isWorthWaiting(since)) {
            boolean _ = offer.relinquish();
        }
        return !ownership.withdraw() || ownership.isMine();
    }

    private boolean isWorthWaiting(long sinceNanos) {
        return clock.nanoTime() - sinceNanos < ACQUIRE_NANOS && !ended && ownership.isDriverRequested();
    }

    /** Returns false if the loop was lost to the polling thread: this thread did not get a carrier for long. */
    private boolean runCycles() {
        ownership.takeOver();
        int idle = 0;
        long latest = clock.nanoTime() + LATE_NANOS;
        while (idle < IDLE_CYCLES && mayGoOn()) {
            idle = dutyCycle.getAsInt() > 0 ? 0 : idle + 1;
            if (isTimeToOffer(idle) && offer.relinquish()) {
                // A thread that sleeps instead is woken by packets, and needs no time slice of another program to end.
                return true;
            }
            if (idle % IDLE_CYCLES_PER_YIELD == 0) {
                if (clock.nanoTime() - latest > 0) {
                    // Users' code in a cycle has parked or takes long: the polling thread needs no carrier to go on
                    // after
                    // that.
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

    private static boolean isTimeToOffer(int idle) {
        return idle > SPINS || (idle >= FIRST_OFFER && Integer.bitCount(idle) == 1);
    }

    private boolean mayGoOn() {
        return !ownership.isRequested() && !ownership.isClosed() && !ended && ownership.isDriving();
    }

    /** Returns false if another thread runs the loop now. */
    @SuppressWarnings("ThreadPriorityCheck") // The other virtual threads have the work.
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
