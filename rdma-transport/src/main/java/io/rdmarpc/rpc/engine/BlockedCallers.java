package io.rdmarpc.rpc.engine;

import io.rdmarpc.concurrent.LoopSeat;
import io.rdmarpc.concurrent.WaitLimits;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that wait for the end of a call. One of them may turn the loop itself meanwhile, so that nothing is handed from
 * thread to thread: the polling thread stands back. Virtual threads only wait, for one of the loop's own turns it for them all,
 * and a thread that turns a loop already, for it runs a handler, is refused.
 *
 * <pre>
 *   enter -> (seat free: take it) -> submit the call -> await -> call has ended -> leave
 *                                                         |
 *                          seat held: turn the loop; else ask for the seat, or wait until woken
 * </pre>
 *
 * <p>A caller takes the seat before it submits, so that nobody is woken for its command. A caller whose call takes long
 * leaves the loop to the polling thread, which can sleep until a packet comes.
 */
final class BlockedCallers implements CallWaiter {

    /** Where no polling thread takes over, a waiting caller looks for the seat so often. */
    private static final long LOOK_NANOS = 1_000_000;

    /** Callers spin, and never leave the loop to others. */
    static final int ENDLESS = Integer.MAX_VALUE;

    private static final int DEFAULT_PATIENCE = 5000;
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Turns, each of which looks several times, before others may have this core: some microseconds. */
    private static final int SPINS = 16;

    private static final int TURNS_PER_LOOK_AT_THE_CLOCK = 64;
    private static final int COUNTED = 1;
    private static final int NOT_COUNTED = 0;
    private static final WaitLimits LIMITS = new WaitLimits();

    private final EventLoop loop;
    private final LoopSeat seat;
    private final MethodTable methods;
    /** Callers, but for the one in the seat during its first turns, in which most calls end. */
    private final AtomicInteger waiting = new AtomicInteger();

    private volatile int patience = DEFAULT_PATIENCE;

    BlockedCallers(EventLoop loop, LoopSeat seat, MethodTable methods) {
        this.loop = loop;
        this.seat = seat;
        this.methods = methods;
    }

    /**
     * Says for how long callers turn the loop for nothing before they leave it to the polling thread.
     *
     * @param idleTurns turns without work, {@link #ENDLESS} to spin until the call has ended
     */
    void patience(int idleTurns) {
        patience = idleTurns;
    }

    @Override
    public boolean mayWaitHere() {
        return (methods.isEmpty() || Thread.currentThread().isVirtual()) && !seat.isMine();
    }

    @Override
    public boolean enter() {
        if (seat.isMine()) {
            throw new IllegalStateException(
                    "a handler on the polling thread may not wait for a call: nobody would take the"
                            + " answer. Make the call without waiting, or run the handler on an executor");
        }
        if (!Thread.currentThread().isVirtual() && seat.tryTake()) {
            return true;
        }
        waiting.incrementAndGet();
        return false;
    }

    @Override
    public void cancel(boolean seated) {
        if (seated) {
            leave(NOT_COUNTED);
        } else {
            waiting.decrementAndGet();
        }
    }

    @Override
    public void await(Ending call, boolean seated, long timeoutNanos) {
        if (seated && turnsToEnd(call)) {
            return;
        }
        try {
            if (Thread.currentThread().isVirtual()) {
                onlyWait(call, latest(timeoutNanos));
            } else {
                awaitLong(call, seated, latest(timeoutNanos));
            }
        } finally {
            waiting.decrementAndGet();
        }
    }

    /** Most calls end after some turns. False when this one has not: the caller has the seat still, and counts as one who waits. */
    private boolean turnsToEnd(Ending call) {
        boolean stays = false;
        try {
            stays = !turnAWhile(call);
            if (stays) {
                waiting.incrementAndGet();
            }
        } finally {
            if (!stays) {
                leave(NOT_COUNTED);
            }
        }
        return !stays;
    }

    /** Most calls end after some turns, before it matters what time it is. */
    private boolean turnAWhile(Ending call) {
        if (seat.visit()) {
            loop.wakeUp();
        }
        for (int turns = 0; turns < SPINS && mayGoOn(call); turns++) {
            if (loop.doWorkFor(call) == 0) {
                Thread.onSpinWait();
            }
        }
        return call.hasEnded();
    }

    /** A virtual thread; what time it is matters only when it was woken for something else. */
    private void onlyWait(Ending call, long latestNanos) {
        call.wakes(Thread.currentThread());
        boolean goesOn = !call.hasEnded();
        while (goesOn) {
            park(latestNanos);
            goesOn = !isOver(call, latestNanos);
        }
        call.wakes(null);
    }

    /** A platform thread. Ends with the seat left. */
    private void awaitLong(Ending call, boolean seated, long latestNanos) {
        boolean holds = seated;
        boolean mayTurn = true;
        call.wakes(Thread.currentThread());
        try {
            while (!isOver(call, latestNanos)) {
                if (holds || (mayTurn && seat.tryTake())) {
                    holds = true;
                    // A caller that gave up turning has a slow call: it leaves that to others.
                    mayTurn = turn(call, latestNanos);
                    leave(COUNTED);
                    holds = false;
                } else if (mayTurn && mayAsk() && seat.request()) {
                    holds = waitForSeat(call, latestNanos);
                } else {
                    park(latestNanos);
                }
            }
        } finally {
            call.wakes(null);
            if (holds) {
                leave(COUNTED);
            }
        }
    }

    /** An interrupt closes files under whoever works on them: an interrupted thread must not turn the loop. */
    private boolean mayGoOn(Ending call) {
        return !call.hasEnded() && !seat.isClosed() && !Thread.currentThread().isInterrupted();
    }

    /** Until when a caller waits: the engine ends its call at its deadline, unless a handler blocks the engine. */
    private static long latest(long timeoutNanos) {
        return System.nanoTime() + Math.min(timeoutNanos, Long.MAX_VALUE / 4) + GRACE_NANOS;
    }

    private static boolean isOver(Ending call, long latestNanos) {
        return call.hasEnded() || Thread.currentThread().isInterrupted() || System.nanoTime() - latestNanos >= 0;
    }

    /** Turns the loop until the call has ended; false when it took long and others should turn it. */
    @SuppressWarnings("ThreadPriorityCheck") // Where cores are few, others need this one.
    private boolean turn(Ending call, long latestNanos) {
        if (seat.visit()) {
            loop.wakeUp();
        }
        int idle = 0;
        int failed = loop.failures().failedTurns();
        for (int turns = 1; mayGoOn(call); turns++) {
            boolean shares = idle > SPINS && patience != ENDLESS;
            int work = shares ? loop.doWork() : loop.doWorkOrWait();
            idle = work > 0 ? 0 : idle + 1;
            boolean givesUp = idle >= patience || loop.failures().failedTurns() != failed;
            if (givesUp && seat.hasResident()) {
                return false;
            }
            if (turns % TURNS_PER_LOOK_AT_THE_CLOCK == 0 && isOver(call, latestNanos)) {
                return true;
            }
            if (idle > 0 && shares) {
                Thread.yield();
            } else if (idle > 0 && !call.hasEnded()) {
                Thread.onSpinWait();
            }
        }
        return true;
    }

    /**
     * Frees the seat; when there is something left to do and nobody who does it, the polling thread is woken. What only time
     * brings can wait until a thread that stands back looks by itself.
     *
     * @param self how many of those that wait this caller is
     */
    private void leave(int self) {
        boolean needed = loop.isLeftAtOnce() || (!seat.isResidentStandingBack() && loop.needsTime());
        seat.leave();
        if (!seat.isHeld() && (needed || waiting.get() > self || loop.hasCommands())) {
            loop.wakeUp();
        }
    }

    /** From the polling thread only a lonely caller takes the loop: with several it would go to and fro. */
    private boolean mayAsk() {
        return waiting.get() == 1 || !seat.isResidentSeated();
    }

    /** True when this thread has the seat that it has asked for. */
    private boolean waitForSeat(Ending call, long latestNanos) {
        while (!seat.isMine() && !isOver(call, latestNanos) && !seat.tryTake()) {
            park(latestNanos);
        }
        return !seat.withdraw() || seat.isMine();
    }

    private void park(long latestNanos) {
        if (seat.hasResident()) {
            LIMITS.park(this, latestNanos);
        } else {
            LockSupport.parkNanos(this, Math.min(latestNanos - System.nanoTime(), LOOK_NANOS));
        }
    }
}
