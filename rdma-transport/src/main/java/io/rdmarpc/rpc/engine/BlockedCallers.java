package io.rdmarpc.rpc.engine;

import io.rdmarpc.concurrent.LoopOwnership;
import io.rdmarpc.concurrent.WaitLimits;
import io.rdmarpc.rpc.engine.DutyCycle.Mode;
import io.rdmarpc.rpc.engine.client.CallWaiter;
import io.rdmarpc.rpc.engine.context.CommandQueue;
import io.rdmarpc.rpc.engine.context.EngineContext;
import io.rdmarpc.rpc.engine.context.LoopFailures;
import io.rdmarpc.rpc.engine.server.MethodTable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Blocks threads until their call has ended. One of them may run the loop itself meanwhile. The polling thread then
 * yields the loop, and no work is handed from thread to thread. Virtual threads only wait, because the loop's on-demand
 * driver runs the loop for all of them. A thread that already runs a loop, because it runs a handler, is rejected.
 *
 * <pre>
 *   enter -> (loop free: acquire it) -> submit the call -> await -> call has ended -> release
 *                                                           |
 *                          loop owned here: run it; otherwise request the loop, or park until woken
 * </pre>
 *
 * <p>A caller acquires the loop before it submits the call, so that no thread is woken for its command. A caller with a
 * slow call leaves the loop to the polling thread, which can sleep until a packet arrives.
 */
final class BlockedCallers implements CallWaiter {

    /**
     * Interval at which a waiting caller checks whether the loop is free, if there is no polling thread that could run
     * it.
     */
    private static final long CHECK_NANOS = 1_000_000;

    /** Configures callers to spin, and never to leave the loop to other threads. */
    static final int ENDLESS = Integer.MAX_VALUE;

    private static final int DEFAULT_IDLE_CYCLES = 5000;
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /**
     * Number of cycles, some microseconds, before other threads may use this core. Each cycle polls for packets several
     * times.
     */
    private static final int SPINS = 16;

    private static final int CYCLES_PER_CLOCK_READ = 64;
    private static final int COUNTED = 1;
    private static final int NOT_COUNTED = 0;
    private static final WaitLimits LIMITS = new WaitLimits();

    private final EventLoop loop;
    private final LoopOwnership ownership;
    private final LoopFailures failures;
    private final CommandQueue commands;
    private final MethodTable methods;

    private volatile int maxIdleCycles = DEFAULT_IDLE_CYCLES;

    BlockedCallers(EventLoop loop, EngineContext context, MethodTable methods) {
        this.loop = loop;
        this.ownership = context.ownership();
        this.failures = context.failures();
        this.commands = context.commands();
        this.methods = methods;
    }

    /**
     * Configures how long callers run the loop without finding work before they leave it to the polling thread.
     *
     * @param idleCycles number of cycles without work, {@link #ENDLESS} to spin until the call has ended
     */
    void maxIdleCycles(int idleCycles) {
        maxIdleCycles = idleCycles;
    }

    @Override
    public boolean mayWaitHere() {
        return (methods.isEmpty() || Thread.currentThread().isVirtual()) && !ownership.isMine();
    }

    @Override
    public boolean enter() {
        if (ownership.isMine()) {
            throw new IllegalStateException(
                    "a handler on the polling thread may not wait for a call: no thread would process the"
                            + " response. Make the call without waiting, or run the handler on an executor");
        }
        if (!Thread.currentThread().isVirtual() && ownership.tryAcquire()) {
            return true;
        }
        ownership.enterBlocked();
        return false;
    }

    @Override
    public void cancel(boolean owns) {
        if (owns) {
            release(NOT_COUNTED);
        } else {
            ownership.exitBlocked();
        }
    }

    @Override
    public void await(Ending call, boolean owns, long timeoutNanos) {
        if (owns && endsSoon(call)) {
            return;
        }
        try {
            if (Thread.currentThread().isVirtual()) {
                parkUntilEnded(call, latest(timeoutNanos));
            } else {
                awaitLong(call, owns, latest(timeoutNanos));
            }
        } finally {
            ownership.exitBlocked();
        }
    }

    /**
     * Runs some cycles, after which most calls have ended. If the call has not ended, the caller still owns the loop,
     * and is counted as blocked.
     */
    private boolean endsSoon(Ending call) {
        boolean stays = false;
        try {
            stays = !runSomeCycles(call);
            if (stays) {
                ownership.enterBlocked();
            }
        } finally {
            if (!stays) {
                release(NOT_COUNTED);
            }
        }
        return !stays;
    }

    /** Runs some cycles without checking the timeout; returns whether the call has ended. */
    private boolean runSomeCycles(Ending call) {
        ownership.takeOverForCall();
        for (int cycles = 0; cycles < SPINS && mayContinue(call); cycles++) {
            if (loop.cycle().run(Mode.AWAIT_CALL, call) == 0) {
                Thread.onSpinWait();
            }
        }
        return call.hasEnded();
    }

    /** Waits on a virtual thread. It reads the clock only if it was woken before the call has ended. */
    private void parkUntilEnded(Ending call, long latestNanos) {
        call.wakes(Thread.currentThread());
        boolean waiting = !call.hasEnded();
        while (waiting) {
            park(latestNanos);
            waiting = !isOver(call, latestNanos);
        }
        call.wakes(null);
    }

    /** Waits on a platform thread, which does not own the loop when this method returns. */
    private void awaitLong(Ending call, boolean ownsNow, long latestNanos) {
        boolean owns = ownsNow;
        boolean mayRun = true;
        call.wakes(Thread.currentThread());
        try {
            while (!isOver(call, latestNanos)) {
                if (owns || (mayRun && ownership.tryAcquire())) {
                    owns = true;
                    // A caller that has stopped running the loop has a slow call, and leaves the loop to other threads.
                    mayRun = runCycles(call, latestNanos);
                    release(COUNTED);
                    owns = false;
                } else if (mayRun && mayRequest() && ownership.request()) {
                    owns = awaitOwnership(call, latestNanos);
                } else {
                    park(latestNanos);
                }
            }
        } finally {
            call.wakes(null);
            if (owns) {
                release(COUNTED);
            }
        }
    }

    /**
     * An interrupt closes channels that the interrupted thread uses, so an interrupted thread must not run the loop.
     */
    private boolean mayContinue(Ending call) {
        return !call.hasEnded()
                && !ownership.isClosed()
                && !Thread.currentThread().isInterrupted();
    }

    /**
     * Returns the latest end of a caller's wait. The engine ends the call at its deadline, unless a handler blocks the
     * engine.
     */
    private static long latest(long timeoutNanos) {
        return System.nanoTime() + Math.min(timeoutNanos, Long.MAX_VALUE / 4) + GRACE_NANOS;
    }

    private static boolean isOver(Ending call, long latestNanos) {
        return call.hasEnded() || Thread.currentThread().isInterrupted() || System.nanoTime() - latestNanos >= 0;
    }

    /**
     * Runs the loop until the call has ended or the caller has to stop waiting. Returns false if the polling thread
     * should run the loop instead, because many cycles found no work or a cycle failed.
     */
    @SuppressWarnings("ThreadPriorityCheck") // With few cores, other threads need this one.
    private boolean runCycles(Ending call, long latestNanos) {
        ownership.takeOverForCall();
        DutyCycle cycle = loop.cycle();
        int idle = 0;
        int failed = failures.failedCycles();
        for (int cycles = 1; mayContinue(call); cycles++) {
            boolean shares = idle > SPINS && maxIdleCycles != ENDLESS;
            int work = cycle.run(shares ? Mode.POLL : Mode.SPIN, DutyCycle.NO_CALL);
            idle = work > 0 ? 0 : idle + 1;
            boolean stops = idle >= maxIdleCycles || failures.failedCycles() != failed;
            if (stops && ownership.hasDefaultOwner()) {
                return false;
            }
            if (cycles % CYCLES_PER_CLOCK_READ == 0 && isOver(call, latestNanos)) {
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
     * Releases the loop. If work remains and no thread runs the loop, this method wakes one. Work that is due later can
     * wait until the polling thread, after yielding, checks for it.
     *
     * @param self 1 if this caller is counted as blocked, otherwise 0
     */
    private void release(int self) {
        boolean needed = ownership.hasLeftAsleep() ? endTakeover() : isNeeded();
        ownership.release();
        if (!ownership.isOwned() && (needed || ownership.blockedThreads() > self || !commands.isEmpty())) {
            ownership.wake();
        }
    }

    private boolean isNeeded() {
        DutyCycle cycle = loop.cycle();
        return cycle.isNeededNow() || (!ownership.isYielded() && cycle.needsTime());
    }

    /**
     * Does the work that was deferred to the next cycle, which a polling thread that sleeps would run late, and lets
     * packets wake that thread again. Returns whether it is needed now.
     */
    private boolean endTakeover() {
        DutyCycle cycle = loop.cycle();
        if (cycle.hasDeferredWork() && !Thread.currentThread().isInterrupted()) {
            int _ = cycle.run(Mode.POLL, DutyCycle.NO_CALL);
        }
        ownership.endTakeover();
        return cycle.hasDeferredWork() || cycle.isNeededNow() || cycle.needsChecks();
    }

    /**
     * Returns whether this caller may request the loop. Only a single blocked caller requests it from the polling
     * thread: with several, the owner would change for each call.
     */
    private boolean mayRequest() {
        return ownership.blockedThreads() == 1 || !ownership.isOwnedByDefault();
    }

    /** Waits for the loop that this thread has requested; returns true if it owns the loop. */
    private boolean awaitOwnership(Ending call, long latestNanos) {
        while (!ownership.isMine() && !isOver(call, latestNanos) && !ownership.tryAcquire()) {
            park(latestNanos);
        }
        return !ownership.withdraw() || ownership.isMine();
    }

    private void park(long latestNanos) {
        if (ownership.hasDefaultOwner()) {
            LIMITS.park(this, latestNanos);
        } else {
            LockSupport.parkNanos(this, Math.min(latestNanos - System.nanoTime(), CHECK_NANOS));
        }
    }
}
