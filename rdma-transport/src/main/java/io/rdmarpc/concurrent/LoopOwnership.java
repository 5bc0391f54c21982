package io.rdmarpc.concurrent;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides which thread runs an event loop, and which thread is woken when the loop has work. One thread at a time owns
 * the loop and runs it. This class holds all states of that decision.
 *
 * <pre>
 *   The loop
 *            tryAcquire                      release, no request
 *   FREE  ---------------->  OWNED by T  ------------------------->  FREE
 *                               |
 *                               |  release, R has requested it
 *                               +------------------------->  OWNED by R, which is unparked
 *
 *   Between close and open, no acquisition succeeds and a release hands over to no thread.
 *
 *   The default owner: a thread that runs the loop while no other thread does
 *            attach                  yieldOwnership
 *   ABSENT  -------->  PRESENT  --------------------->  YIELDED
 *     ^                  |   ^                             |
 *     +---- detach ------+   +-----------------------------+
 *                        |   ^     1 ms without a takeover, or {@link #wake}
 *                        |   |
 *   takeOverForCall,     |   |  endTakeover
 *   while it sleeps      v   |
 *                     LEFT ASLEEP
 *
 *   The on-demand driver: a thread that runs the loop for virtual threads
 *            wake, by a virtual thread           beginDriving
 *   IDLE  ---------------------------->  REQUESTED  ---------->  DRIVING
 *     ^                                      |                      |
 *     +---- another thread owns the loop ----+---- endDriving, or --+
 *                                                  the default owner runs the loop
 * </pre>
 *
 * <p>Each owner sees all writes of the owners before it. No request is missed. A requester publishes its request and
 * then tries to acquire the loop. An owner frees the loop and then checks for a request. The later of the two sees the
 * earlier one.
 *
 * <p>No command is missed either: a thread queues its command before it calls {@link #wake}. A driver that ends
 * publishes its end and then wakes the default owner, which checks the queue. A default owner that stops the driver
 * checks the queue itself. The first command of a virtual thread after a pause does not request the driver if the
 * default owner runs the loop and no caller waits.
 *
 * <p>A default owner that sleeps is not woken for a single call. The caller that runs the loop in its place leaves it
 * asleep. Threads with commands leave it asleep, too, because the caller checks the queue after {@link #endTakeover}.
 * A second call within a millisecond wakes the default owner, which then yields: further calls have no more work than
 * a check of that state.
 *
 * <p>Any thread may call a method whose description does not restrict its callers.
 */
@SuppressWarnings("ReferenceEquality") // a thread equals only itself
public final class LoopOwnership {

    /** A thread that runs the loop while virtual threads have commands for it. */
    public interface OnDemandDriver {

        /**
         * Returns whether the driver can run the loop now.
         *
         * @return false while it rests, after it has lost the loop several times
         */
        boolean isAvailable();

        /** Wakes the driver, which is in state REQUESTED. */
        void wake();
    }

    private static final FailureLog FAILURES = new FailureLog(System.getLogger(LoopOwnership.class.getName()));

    private static final VarHandle OWNER = handle("owner", Thread.class);
    private static final VarHandle REQUESTER = handle("requester", Thread.class);
    private static final VarHandle TAKEOVERS = handle("takeovers", int.class);
    private static final VarHandle DRIVER_STATE = handle("driverState", int.class);

    /** Time without a takeover after which the default owner runs the loop again. */
    private static final long YIELD_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long CLOSE_CHECK_NANOS = 50_000;

    private static final int IDLE = 0;
    private static final int REQUESTED = 1;
    private static final int DRIVING = 2;

    private final Runnable wakeUnattended;
    private final NanoClock clock;
    private volatile @Nullable Thread owner;
    private volatile @Nullable Thread requester;
    private volatile boolean closed;

    private volatile @Nullable Thread defaultOwner;
    private volatile @Nullable Runnable endSleep;
    private volatile @Nullable IdleStrategy sleep;
    private volatile boolean leftAsleep;
    private volatile boolean yielded;
    private volatile boolean recalled;
    private volatile int takeovers;

    private volatile @Nullable OnDemandDriver driver;
    private volatile int driverState;

    /** Time of the end of the last takeover that left the default owner asleep. Written by owners. */
    private long endOfTakeoverNanos;

    /** Time of the last command of a virtual thread for an idle driver. Threads may overwrite each other's time. */
    private long lastCommandNanos;

    /** Number of threads that are blocked on a call, except an owner in its first duty cycles. */
    private final AtomicInteger blocked = new AtomicInteger();

    /**
     * Creates a free, open loop ownership without a default owner: while none is attached, {@link #wake} has no effect.
     */
    public LoopOwnership() {
        this(() -> {});
    }

    /**
     * Creates a free, open loop ownership without a default owner.
     *
     * @param wakeUnattended run by {@link #wake} while no default owner is attached
     */
    public LoopOwnership(Runnable wakeUnattended) {
        this(wakeUnattended, NanoClock.SYSTEM);
    }

    LoopOwnership(Runnable wakeUnattended, NanoClock clock) {
        this.wakeUnattended = wakeUnattended;
        this.clock = clock;
        this.endOfTakeoverNanos = clock.nanoTime() - YIELD_NANOS;
        this.lastCommandNanos = endOfTakeoverNanos;
    }

    private static VarHandle handle(String field, Class<?> type) {
        try {
            return MethodHandles.lookup().findVarHandle(LoopOwnership.class, field, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    // ---- the loop ----

    /**
     * Acquires the loop if it is free. Never waits.
     *
     * @return true if this thread owns it now, and must {@link #release} it
     */
    public boolean tryAcquire() {
        if (closed || owner != null || !OWNER.compareAndSet(this, null, Thread.currentThread())) {
            return false;
        }
        if (closed) {
            release();
            return false;
        }
        return true;
    }

    /**
     * Returns whether this thread owns the loop.
     *
     * @return true between its acquisition and its release
     */
    public boolean isMine() {
        return owner == Thread.currentThread();
    }

    /**
     * Returns the owner.
     *
     * @return the thread, null if the loop is free
     */
    public @Nullable Thread owner() {
        return owner;
    }

    /**
     * Returns whether any thread owns the loop.
     *
     * @return true while one does
     */
    public boolean isOwned() {
        return owner != null;
    }

    /**
     * Returns whether a thread has requested the loop.
     *
     * @return true until that thread owns it, or has withdrawn its request
     */
    public boolean isRequested() {
        return requester != null;
    }

    /**
     * Requests the loop, unless another thread has requested it. The caller then tries to acquire it, and checks after
     * each wake-up whether it owns it.
     *
     * @return true if the request is this thread's: the caller must {@link #withdraw} it once it owns the loop, or no
     *     longer needs it
     */
    public boolean request() {
        return REQUESTER.compareAndSet(this, null, Thread.currentThread());
    }

    /**
     * Withdraws this thread's request.
     *
     * @return false if the loop was handed over before: this thread owns it
     */
    public boolean withdraw() {
        if (REQUESTER.compareAndSet(this, Thread.currentThread(), null)) {
            return true;
        }
        while (!isMine()) {
            // The thread that hands over has cleared the request and is about to set the owner.
            Thread.onSpinWait();
        }
        return false;
    }

    /**
     * Releases the loop: the thread that has requested it owns it then, unless the ownership is closed.
     *
     * @throws IllegalStateException if this thread does not own it
     */
    public void release() {
        if (!isMine()) {
            throw new IllegalStateException(
                    Thread.currentThread() + " does not own this loop and cannot release it; its owner: " + owner);
        }
        do {
            if (handOver()) {
                return;
            }
            owner = null;
        } while (!closed && isRequestedByAnother() && OWNER.compareAndSet(this, null, Thread.currentThread()));
    }

    /** After a close the loop is not handed over: the thread that closes it may already have seen it free. */
    private boolean handOver() {
        Thread next = requester;
        if (closed || next == null || next == Thread.currentThread() || !REQUESTER.compareAndSet(this, next, null)) {
            return false;
        }
        owner = next;
        LockSupport.unpark(next);
        return true;
    }

    private boolean isRequestedByAnother() {
        Thread next = requester;
        return next != null && next != Thread.currentThread();
    }

    /**
     * Frees the loop if its owner has ended without releasing it.
     *
     * @return true if it freed the loop
     */
    public boolean releaseOfEndedOwner() {
        Thread now = owner;
        if (now == null || now.isAlive()) {
            return false;
        }
        releaseSleep();
        return OWNER.compareAndSet(this, now, null);
    }

    /**
     * Returns whether the ownership is closed: the owner should release the loop.
     *
     * @return true between {@link #close} and {@link #open}
     */
    public boolean isClosed() {
        return closed;
    }

    /**
     * Prevents further acquisitions, and waits until the loop is free.
     *
     * @param limit how long to wait
     * @return false if the owner has not released the loop in time
     */
    public boolean close(Duration limit) {
        closed = true;
        long deadline = System.nanoTime() + limit.toNanos();
        while (owner != null) {
            if (System.nanoTime() - deadline >= 0) {
                return false;
            }
            LockSupport.parkNanos(this, CLOSE_CHECK_NANOS);
        }
        return true;
    }

    /** Lets threads acquire the loop again. */
    public void open() {
        closed = false;
    }

    // ---- threads blocked on the loop ----

    /** Counts a thread that begins to block on a call. */
    public void enterBlocked() {
        blocked.getAndIncrement();
    }

    /** Counts a thread that no longer blocks. */
    public void exitBlocked() {
        blocked.getAndDecrement();
    }

    /**
     * Returns how many threads are blocked on a call.
     *
     * @return threads between {@link #enterBlocked} and {@link #exitBlocked}
     */
    public int blockedThreads() {
        return blocked.get();
    }

    // ---- the default owner ----

    /**
     * Attaches the thread that runs the loop while no other thread does.
     *
     * @param thread the thread
     * @param wake ends the thread's sleep, or prevents it; called by any thread
     */
    public void attach(Thread thread, Runnable wake) {
        attach(thread, wake, null);
    }

    /**
     * Attaches the thread that runs the loop while no other thread does, and that sleeps by an idle strategy.
     *
     * @param thread the thread
     * @param strategy ends the thread's sleep, or holds it
     */
    public void attach(Thread thread, IdleStrategy strategy) {
        attach(thread, strategy::wake, strategy);
    }

    private void attach(Thread thread, Runnable wake, @Nullable IdleStrategy strategy) {
        endSleep = wake;
        sleep = strategy;
        leftAsleep = false;
        yielded = false;
        defaultOwner = thread;
    }

    /** Detaches the default owner, which has ended. */
    public void detach() {
        defaultOwner = null;
    }

    /**
     * Returns whether a default owner is attached.
     *
     * @return true between {@link #attach} and {@link #detach}
     */
    public boolean hasDefaultOwner() {
        return defaultOwner != null;
    }

    /**
     * Returns whether the default owner owns the loop.
     *
     * @return true while it does
     */
    public boolean isOwnedByDefault() {
        Thread now = owner;
        return now != null && now == defaultOwner;
    }

    /**
     * Returns whether the default owner currently leaves the loop to other threads. It checks every millisecond whether
     * they still run it.
     *
     * @return true while {@link #yieldOwnership} waits
     */
    public boolean isYielded() {
        return yielded;
    }

    /**
     * Leaves the loop to other threads. Returns after a millisecond in which none of them has run it, or when {@link
     * #wake} finds that none does. Returns at once if no other thread runs it. The on-demand driver no longer drives
     * when this returns. Only the default owner calls it, while it does not own the loop.
     *
     * @param mayContinue returns false to end the wait early
     */
    public void yieldOwnership(BooleanSupplier mayContinue) {
        recalled = false;
        yielded = true;
        try {
            int seen = takeovers;
            boolean others = isOwned() || isDriving();
            while (others && mayContinue.getAsBoolean() && !(recalled && !isOwned())) {
                LockSupport.parkNanos(this, YIELD_NANOS);
                int now = takeovers;
                others = !releaseOfEndedOwner() && (isOwned() || now != seen);
                seen = now;
            }
        } finally {
            yielded = false;
        }
        stopDriving();
    }

    /**
     * Counts a takeover: a thread other than the default owner begins to run the loop. Only the owner calls it. The
     * default owner sees the count before it sees the loop free again.
     *
     * @return true if the default owner does not know of the takeover. It may sleep, so the caller {@linkplain
     *     #wakeDefaultOwner wakes} it
     */
    public boolean countTakeover() {
        TAKEOVERS.setRelease(this, takeovers + 1);
        return !yielded && hasDefaultOwner();
    }

    /** Counts a takeover, and wakes the default owner if it does not know of it. Only the owner calls it. */
    public void takeOver() {
        if (countTakeover()) {
            wakeDefaultOwner();
        }
    }

    /**
     * Counts a takeover for a call. A default owner that sleeps, and was not left asleep within the last millisecond,
     * is left asleep until {@link #endTakeover}. Otherwise wakes it if it does not know of the takeover. Only the owner
     * calls it, any number of times.
     */
    public void takeOverForCall() {
        if (countTakeover() && !leftAsleep && !leaveAsleep()) {
            wakeDefaultOwner();
        }
    }

    private boolean leaveAsleep() {
        IdleStrategy found = sleep;
        if (found == null || clock.nanoTime() - endOfTakeoverNanos < YIELD_NANOS || !found.holdSleep()) {
            return false;
        }
        leftAsleep = true;
        return true;
    }

    /**
     * Returns whether the owner has left the default owner asleep.
     *
     * @return true between {@link #takeOverForCall} and {@link #endTakeover}, if the default owner was asleep
     */
    public boolean hasLeftAsleep() {
        return leftAsleep;
    }

    /**
     * Ends a takeover that has left the default owner asleep, which packets and commands wake from now on. Only the
     * owner calls it. It then releases the loop, and calls {@link #wake} if commands are queued.
     */
    public void endTakeover() {
        endOfTakeoverNanos = clock.nanoTime();
        releaseSleep();
    }

    private void releaseSleep() {
        IdleStrategy found = sleep;
        if (leftAsleep && found != null) {
            leftAsleep = false;
            found.releaseSleep();
        }
    }

    // ---- the wake-up ----

    /**
     * Wakes a thread that runs the loop. The caller has queued a command before. Never throws: the command is queued,
     * and the loop checks its queue after its sleep in any case.
     */
    public void wake() {
        boolean left = false;
        try {
            left = isLeftToDriver();
        } catch (Throwable e) {
            FAILURES.report("the wake-up of a virtual thread that runs an event loop", e);
        }
        if (!left) {
            wakeDefaultOwner();
        }
    }

    /** Wakes the default owner unless another thread runs the loop in its place. Never throws. */
    public void wakeDefaultOwner() {
        try {
            endSleepOfDefaultOwner();
        } catch (Throwable e) {
            FAILURES.report("the wake-up of an event loop", e);
            LockSupport.unpark(defaultOwner);
        }
    }

    /** Ends the sleep of the default owner, also if an owner has left it asleep. Never throws. */
    public void endSleep() {
        IdleStrategy found = sleep;
        try {
            if (found != null) {
                found.wake();
            }
        } catch (Throwable e) {
            FAILURES.report("the end of the sleep of an event loop", e);
        }
    }

    private void endSleepOfDefaultOwner() {
        Thread thread = defaultOwner;
        Runnable wakeUp = endSleep;
        if (thread == null || wakeUp == null) {
            wakeUnattended.run();
        } else if (!leftAsleep) {
            // An owner that has left it asleep checks for commands after it has ended its takeover.
            wake(thread, wakeUp);
        }
    }

    private void wake(Thread thread, Runnable wakeUp) {
        if (!yielded) {
            wakeUp.run();
        } else if (!isOwned()) {
            recalled = true;
            LockSupport.unpark(thread);
        }
    }

    // ---- the on-demand driver ----

    /**
     * Attaches a driver, which is idle.
     *
     * @param onDemand runs the loop for virtual threads
     */
    public void attach(OnDemandDriver onDemand) {
        driverState = IDLE;
        driver = onDemand;
    }

    /** Detaches the driver, which is no longer woken and no longer drives. */
    public void detachDriver() {
        driver = null;
        driverState = IDLE;
    }

    /** Returns true if the driver will find the command, so that the default owner can continue to sleep. */
    private boolean isLeftToDriver() {
        OnDemandDriver found = driver;
        return found != null && Thread.currentThread().isVirtual() && request(found);
    }

    private boolean request(OnDemandDriver found) {
        int now = driverState;
        if (now == IDLE
                && found.isAvailable()
                && !isLeftToDefaultOwner()
                && DRIVER_STATE.compareAndSet(this, IDLE, REQUESTED)) {
            found.wake();
        }
        return now == DRIVING;
    }

    /**
     * Returns whether a command is left to the default owner, because it is the first one after a pause, the default
     * owner runs the loop, and no caller waits, such as for the response of a method. The default owner finds the command
     * in its next cycle. Handing the loop over to the driver pays off only for several commands.
     */
    private boolean isLeftToDefaultOwner() {
        long now = clock.nanoTime();
        boolean first = now - lastCommandNanos >= YIELD_NANOS;
        lastCommandNanos = now;
        return first && isOwnedByDefault() && blockedThreads() == 0;
    }

    /**
     * Returns whether a virtual thread has requested the driver, which does not yet drive.
     *
     * @return true in state REQUESTED
     */
    public boolean isDriverRequested() {
        return driverState == REQUESTED;
    }

    /**
     * Returns whether the driver runs the loop, or lets other threads run between two cycles.
     *
     * @return true in state DRIVING
     */
    public boolean isDriving() {
        return driverState == DRIVING;
    }

    /**
     * Begins to drive. Only the driver calls it, as owner of the loop.
     *
     * @return false if the driver was not requested, or was detached meanwhile
     */
    public boolean beginDriving() {
        return DRIVER_STATE.compareAndSet(this, REQUESTED, DRIVING);
    }

    /**
     * Ends driving, or the request for it. Only the driver calls it. Afterwards it wakes the default owner, which
     * checks for commands.
     */
    public void endDriving() {
        if (!DRIVER_STATE.compareAndSet(this, DRIVING, IDLE)) {
            boolean _ = DRIVER_STATE.compareAndSet(this, REQUESTED, IDLE);
        }
    }

    /**
     * Ends driving: from now on a thread with a command wakes the default owner. Only the default owner calls it, and
     * then checks for commands.
     */
    public void stopDriving() {
        boolean _ = DRIVER_STATE.compareAndSet(this, DRIVING, IDLE);
    }
}
