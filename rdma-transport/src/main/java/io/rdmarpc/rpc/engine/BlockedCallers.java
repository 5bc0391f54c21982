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
 * Lets threads wait for the end of a call. One of them may run the loop itself meanwhile, so that nothing is handed from thread to
 * thread: the polling thread yields. Virtual threads only wait, as the loop's own virtual thread runs it for all of them. A thread that
 * runs a loop already, because it runs a handler, is rejected.
 *
 * <pre>
 *   enter -> (loop free: acquire it) -> submit the call -> await -> call has ended -> release
 *                                                           |
 *                          loop owned here: run it; otherwise request the loop, or park until woken
 * </pre>
 *
 * <p>A caller acquires the loop before it submits the call, so that no thread is woken for its command. A caller whose call takes long
 * leaves the loop to the polling thread, which can sleep until a packet comes.
 */
final class BlockedCallers implements CallWaiter {

    /** Without a polling thread that takes over, a waiting caller looks whether the loop is free so often. */
    private static final long LOOK_NANOS = 1_000_000;

    /** Callers spin, and never leave the loop to other threads. */
    static final int ENDLESS = Integer.MAX_VALUE;

    private static final int DEFAULT_IDLE_CYCLES = 5000;
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Cycles, each of which looks for packets several times, before other threads may have this core: some microseconds. */
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
     * Configures for how long callers run the loop without finding work before they leave it to the polling thread.
     *
     * @param idleCycles cycles without work, {@link #ENDLESS} to spin until the call has ended
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
                onlyWait(call, latest(timeoutNanos));
            } else {
                awaitLong(call, owns, latest(timeoutNanos));
            }
        } finally {
            ownership.exitBlocked();
        }
    }

    /** Most calls end after some cycles. Otherwise the caller still owns the loop, and is counted as blocked. */
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

    /** Most calls end after some cycles, before the time matters. */
    private boolean runSomeCycles(Ending call) {
        ownership.takeOver();
        for (int cycles = 0; cycles < SPINS && mayGoOn(call); cycles++) {
            if (loop.cycle().run(Mode.AWAIT_CALL, call) == 0) {
                Thread.onSpinWait();
            }
        }
        return call.hasEnded();
    }

    /** A virtual thread. It reads the clock only when it was woken before the call has ended. */
    private void onlyWait(Ending call, long latestNanos) {
        call.wakes(Thread.currentThread());
        boolean goesOn = !call.hasEnded();
        while (goesOn) {
            park(latestNanos);
            goesOn = !isOver(call, latestNanos);
        }
        call.wakes(null);
    }

    /** A platform thread. It does not own the loop when this returns. */
    private void awaitLong(Ending call, boolean ownsNow, long latestNanos) {
        boolean owns = ownsNow;
        boolean mayRun = true;
        call.wakes(Thread.currentThread());
        try {
            while (!isOver(call, latestNanos)) {
                if (owns || (mayRun && ownership.tryAcquire())) {
                    owns = true;
                    // A caller that has stopped running the loop has a slow call: it leaves the loop to other threads.
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

    /** An interrupt closes files under the thread that uses them: an interrupted thread must not run the loop. */
    private boolean mayGoOn(Ending call) {
        return !call.hasEnded()
                && !ownership.isClosed()
                && !Thread.currentThread().isInterrupted();
    }

    /** The end of a caller's wait. The engine ends its call at its deadline, unless a handler blocks the engine. */
    private static long latest(long timeoutNanos) {
        return System.nanoTime() + Math.min(timeoutNanos, Long.MAX_VALUE / 4) + GRACE_NANOS;
    }

    private static boolean isOver(Ending call, long latestNanos) {
        return call.hasEnded() || Thread.currentThread().isInterrupted() || System.nanoTime() - latestNanos >= 0;
    }

    /** Runs the loop until the call has ended; false if it took long, so that another thread should run the loop. */
    @SuppressWarnings("ThreadPriorityCheck") // With few cores, other threads need this one.
    private boolean runCycles(Ending call, long latestNanos) {
        ownership.takeOver();
        DutyCycle cycle = loop.cycle();
        int idle = 0;
        int failed = failures.failedCycles();
        for (int cycles = 1; mayGoOn(call); cycles++) {
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
     * Releases the loop. If work is left and no thread runs the loop, a thread that runs it is woken. Work that only time brings can wait
     * until a polling thread that has yielded looks by itself.
     *
     * @param self how many of the blocked threads this caller is
     */
    private void release(int self) {
        DutyCycle cycle = loop.cycle();
        boolean needed = cycle.isNeededNow() || (!ownership.isYielded() && cycle.needsTime());
        ownership.release();
        if (!ownership.isOwned() && (needed || ownership.blockedThreads() > self || !commands.isEmpty())) {
            ownership.wake();
        }
    }

    /** Only a single blocked caller requests the loop from the polling thread: with several it would change hands for each call. */
    private boolean mayRequest() {
        return ownership.blockedThreads() == 1 || !ownership.isOwnedByDefault();
    }

    /** Returns true if this thread owns the loop that it has requested. */
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
            LockSupport.parkNanos(this, Math.min(latestNanos - System.nanoTime(), LOOK_NANOS));
        }
    }
}
