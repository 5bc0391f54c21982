package io.rdmarpc.rpc.runtime;

import io.rdmarpc.concurrent.CarrierWait;
import io.rdmarpc.concurrent.FailureLog;
import io.rdmarpc.concurrent.LoopSeat;
import io.rdmarpc.concurrent.NanoClock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;

/**
 * Turns a loop on a virtual thread while virtual threads have something for it: callers that wait, methods that answer. They and
 * this one then take turns on the same carriers, without a word to the kernel: what all of them want leaves together, and whose
 * answer has come goes on where it was found. The polling thread, which they would have to wake each time, stands back.
 *
 * <pre>
 *            a virtual thread has a command           it has the seat
 *   IDLE  ------------------------------->  ASKED  ------------------>  TURNING
 *     ^                                       |                            |
 *     +--- somebody else turns the loop ------+--- no work for a while, ---+
 *                                                  somebody else has the seat
 * </pre>
 *
 * <p>Carriers may have other things to do, and a virtual thread is not run by force. So it leaves the seat whenever it lets others
 * run, does not wait for it without its carrier, and the polling thread takes it when the loop was not turned for a millisecond.
 * When that happens again and again it is not tried for a while. In the midst of a turn it waits for the locks of the device on its
 * carrier ({@link CarrierWait}). What remains is users' code that runs in a turn, inline methods and what is told of answers: where
 * that waits, and then for a carrier, the loop is left to the polling thread afterwards, and after the second time for a while.
 *
 * <p>Why no command is slept through: who has one queues it and then looks at the state; unless that is TURNING it wakes the polling
 * thread, as without all this. Who ends TURNING says so and then has the polling thread look, or is the polling thread, which
 * looks then.
 */
final class VirtualTurns implements Runnable {

    private static final int IDLE = 0;
    private static final int ASKED = 1;
    private static final int TURNING = 2;
    private static final int ENDED = 3;

    /** Turns without work before it leaves the loop to the polling thread, which can sleep. */
    static final int IDLE_TURNS = 2048;

    /**
     * Turns without work, some 10 us, before it first offers its core: a method that another carrier has taken may wait for that.
     * Again when their number has doubled. Rarely, for each offer may end a row of calls.
     */
    private static final int FIRST_OFFER = 128;

    /** From so many turns without work on it offers its core after each. */
    private static final int SPINS = 512;

    /** Others may have become ready without its doing. Where none has, looking for them wakes another carrier: not each turn. */
    private static final int IDLE_TURNS_PER_YIELD = 16;

    /** How long it waits for a polling thread that runs a method just now: on its carrier, lest it be given the seat without one. */
    static final long PATIENCE_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    /** For a few turns. The polling thread waits as long before it takes a loop that is not turned. */
    static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** The loop stands still for a millisecond each time it is lost; one may be chance. */
    private static final int LOSSES_BEFORE_REST = 2;

    static final long FIRST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final int REST_DOUBLINGS = 7;

    private final FailureLog failures = new FailureLog(System.getLogger(VirtualTurns.class.getName()));
    private final LoopSeat seat;
    private final IntSupplier turn;
    private final Runnable wakeResident;
    private final CoreOffer offer;
    private final NanoClock clock;
    private final AtomicInteger state = new AtomicInteger();

    /** Made by who starts the engine: it must not inherit anything from the first caller. */
    private final Thread thread;

    private volatile boolean started;

    /** How often in a row the polling thread turned the loop instead. */
    private int losses;

    private volatile boolean resting;
    private volatile long restUntilNanos;

    /**
     * Describes it; its thread starts with the first command.
     *
     * @param name of the thread
     * @param seat of the loop
     * @param turn turns the loop once; does not throw
     * @param wakeResident wakes the polling thread
     * @param offer lets other threads of the kernel run
     * @param clock its time
     */
    VirtualTurns(
            String name, LoopSeat seat, IntSupplier turn, Runnable wakeResident, CoreOffer offer, NanoClock clock) {
        this.thread = Thread.ofVirtual().name(name).unstarted(this);
        this.seat = seat;
        this.turn = turn;
        this.wakeResident = wakeResident;
        this.offer = offer;
        this.clock = clock;
    }

    /** A virtual thread has queued a command. True when it will be found, else the polling thread is to be woken as well. */
    boolean ask() {
        int now = state.get();
        if (now == IDLE && !isResting() && state.compareAndSet(IDLE, ASKED)) {
            rouse();
        }
        return now == TURNING;
    }

    private boolean isResting() {
        if (resting && clock.nanoTime() - restUntilNanos >= 0) {
            resting = false;
        }
        return resting;
    }

    private void rouse() {
        if (started) {
            LockSupport.unpark(thread);
        } else {
            started = true;
            thread.start();
        }
    }

    /** Tells whether it turns the loop, or lets others run in between. */
    boolean isTurning() {
        return state.get() == TURNING;
    }

    /** The polling thread turns the loop again. */
    void residentTurns() {
        boolean _ = state.compareAndSet(TURNING, IDLE);
    }

    /** For good: the polling thread stops, too. */
    void end() {
        state.set(ENDED);
        LockSupport.unpark(thread);
    }

    @Override
    public void run() {
        CarrierWait.run(offer::make, this::live);
    }

    private void live() {
        while (state.get() != ENDED) {
            if (state.get() == ASKED) {
                serveSafely();
            } else {
                // What ran in a turn may have left an interrupt, with which nobody can park.
                boolean _ = Thread.interrupted();
                LockSupport.park(this);
            }
        }
    }

    private void serveSafely() {
        try {
            serve();
        } catch (Throwable e) {
            failures.report("a virtual thread failed while it turned an engine", e);
        }
    }

    private void serve() {
        try {
            if (!takeSeat()) {
                count(!seat.isResidentSeated());
            } else if (state.compareAndSet(ASKED, TURNING)) {
                count(turnAWhile());
            }
        } finally {
            if (!state.compareAndSet(TURNING, IDLE)) {
                boolean _ = state.compareAndSet(ASKED, IDLE);
            }
            if (seat.isMine()) {
                seat.leave();
            }
            wakeResident.run();
        }
    }

    /** From the polling thread it asks for it; another caller that turns the loop goes on. */
    private boolean takeSeat() {
        if (seat.tryTake()) {
            return true;
        }
        if (!seat.isResidentSeated() || !seat.request()) {
            return false;
        }
        long since = clock.nanoTime();
        while (!seat.isMine() && !seat.tryTake() && isWorthWaiting(since)) {
            boolean _ = offer.make();
        }
        return !seat.withdraw() || seat.isMine();
    }

    private boolean isWorthWaiting(long sinceNanos) {
        return clock.nanoTime() - sinceNanos < PATIENCE_NANOS && state.get() == ASKED;
    }

    /** False when the loop was lost to the polling thread: nobody has run this one for long. */
    private boolean turnAWhile() {
        if (seat.visit()) {
            wakeResident.run();
        }
        int idle = 0;
        long latest = clock.nanoTime() + LATE_NANOS;
        while (idle < IDLE_TURNS && mayGoOn()) {
            idle = turn.getAsInt() > 0 ? 0 : idle + 1;
            if (isTimeToOffer(idle) && offer.make()) {
                // Who sleeps instead is woken by what comes, and needs no time slice of another program to end.
                return true;
            }
            if (idle % IDLE_TURNS_PER_YIELD == 0) {
                if (clock.nanoTime() - latest > 0) {
                    // Something in a turn has parked or takes long: the polling thread needs no carrier to go on after
                    // that.
                    return false;
                }
                if (!letVirtualThreadsRun()) {
                    return state.get() == TURNING && !seat.isResidentSeated();
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
        return !seat.isWanted() && !seat.isClosed() && state.get() == TURNING;
    }

    /** False when somebody else turns the loop now. */
    @SuppressWarnings("ThreadPriorityCheck") // It is they who have the work.
    private boolean letVirtualThreadsRun() {
        boolean _ = seat.visit();
        seat.leave();
        Thread.yield();
        return seat.tryTake();
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
