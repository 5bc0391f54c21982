package io.rdmarpc.concurrent;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Who turns a loop: whoever holds the seat, one thread at a time. Taking it never waits. One thread that found it taken
 * may ask for it; when the holder leaves, the seat passes to that thread without being free in between.
 *
 * <pre>
 *            tryTake                      leave, nobody asks
 *   free  -------------->  held by T  ------------------------->  free
 *                             |
 *                             |  leave, R asks
 *                             +------------------------->  held by R, which is woken
 * </pre>
 *
 * <p>What a holder did is visible to the next one. Why no request is missed: who asks first says so and then tries to take
 * the seat; who leaves first frees the seat and then looks for a request. Whichever comes second sees the other.
 */
@SuppressWarnings("ReferenceEquality") // a thread is itself and no other
public final class LoopSeat {

    private static final VarHandle HOLDER = handle("holder", Thread.class);
    private static final VarHandle REQUESTER = handle("requester", Thread.class);
    private static final VarHandle VISITS = handle("visits", int.class);

    private volatile @Nullable Thread holder;
    private volatile @Nullable Thread requester;
    private volatile boolean closed;
    private volatile @Nullable Thread resident;
    private volatile boolean residentStandsBack;
    private volatile int visits;

    /** Makes a free seat. */
    public LoopSeat() {}

    private static VarHandle handle(String field, Class<?> type) {
        try {
            return MethodHandles.lookup().findVarHandle(LoopSeat.class, field, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * Takes the seat if it is free.
     *
     * @return true when this thread holds it now and must {@link #leave} it
     */
    public boolean tryTake() {
        if (closed || holder != null || !HOLDER.compareAndSet(this, null, Thread.currentThread())) {
            return false;
        }
        if (closed) {
            leave();
            return false;
        }
        return true;
    }

    /**
     * Tells whether this thread holds the seat.
     *
     * @return true between taking and leaving
     */
    public boolean isMine() {
        return holder == Thread.currentThread();
    }

    /**
     * Returns who holds the seat.
     *
     * @return the thread, null when it is free
     */
    public @Nullable Thread holder() {
        return holder;
    }

    /**
     * Tells whether any thread holds the seat.
     *
     * @return true while one does
     */
    public boolean isHeld() {
        return holder != null;
    }

    /**
     * Tells whether a thread has asked for the seat.
     *
     * @return true until it has it, or has withdrawn
     */
    public boolean isWanted() {
        return requester != null;
    }

    /**
     * Asks for the seat, unless another thread has. Try to take it afterwards, and look for it after each wake-up.
     *
     * @return true when this thread is the one that asks: it must {@link #withdraw} when it has or wants the seat no more
     */
    public boolean request() {
        return REQUESTER.compareAndSet(this, null, Thread.currentThread());
    }

    /**
     * Takes a request back.
     *
     * @return true when that was in time; false when the seat was handed over: then this thread holds it
     */
    public boolean withdraw() {
        if (REQUESTER.compareAndSet(this, Thread.currentThread(), null)) {
            return true;
        }
        while (!isMine()) {
            // Whoever hands over has cleared the request and is about to say who holds the seat.
            Thread.onSpinWait();
        }
        return false;
    }

    /**
     * Leaves the seat, to the thread that asks for it if there is one and the seat is not closed.
     *
     * @throws IllegalStateException when this thread does not hold the seat
     */
    public void leave() {
        if (!isMine()) {
            throw new IllegalStateException(
                    Thread.currentThread() + " does not hold this loop and cannot leave it; its holder: " + holder);
        }
        do {
            if (handOver()) {
                return;
            }
            holder = null;
        } while (!closed && isWantedByAnother() && HOLDER.compareAndSet(this, null, Thread.currentThread()));
    }

    /**
     * Frees the seat of a thread that has ended without leaving it. Any thread, at any time.
     *
     * @return true when that was so
     */
    public boolean freeIfHolderHasEnded() {
        Thread now = holder;
        return now != null && !now.isAlive() && HOLDER.compareAndSet(this, now, null);
    }

    private boolean isWantedByAnother() {
        Thread next = requester;
        return next != null && next != Thread.currentThread();
    }

    /** A closed seat is not handed over: the thread that has closed it may have seen it free just now. */
    private boolean handOver() {
        Thread next = requester;
        if (closed || next == null || next == Thread.currentThread() || !REQUESTER.compareAndSet(this, next, null)) {
            return false;
        }
        holder = next;
        LockSupport.unpark(next);
        return true;
    }

    /**
     * Says which thread turns the loop when no other one does. That thread, or null when it ends.
     *
     * @param thread the thread
     */
    public void resident(@Nullable Thread thread) {
        resident = thread;
    }

    /**
     * Tells whether a thread turns the loop when no other one does.
     *
     * @return true between its start and its end
     */
    public boolean hasResident() {
        return resident != null;
    }

    /**
     * Tells whether the resident holds the seat.
     *
     * @return true while it does
     */
    public boolean isResidentSeated() {
        Thread now = holder;
        return now != null && now == resident;
    }

    /**
     * Says whether the resident leaves the loop to others for a while. The resident only.
     *
     * @param standsBack true until it looks for the seat again
     */
    public void residentStandsBack(boolean standsBack) {
        residentStandsBack = standsBack;
    }

    /**
     * Tells whether the resident leaves the loop to others for a while, and then looks whether they still turn it.
     *
     * @return what it has said by {@link #residentStandsBack}
     */
    public boolean isResidentStandingBack() {
        return residentStandsBack;
    }

    /**
     * Counts that another thread than the resident begins to turn the loop. The holder only; the resident sees it before it
     * sees the seat free again.
     *
     * @return true when the resident does not know: then it is to be woken, should it sleep
     */
    public boolean visit() {
        VISITS.setRelease(this, visits + 1);
        return resident != null && !residentStandsBack;
    }

    /**
     * Counts the visits.
     *
     * @return how often other threads than the resident began to turn the loop; wraps around
     */
    public int visits() {
        return visits;
    }

    /**
     * Tells whether the seat is closed: its holder should leave.
     *
     * @return true between {@link #close} and {@link #open}
     */
    public boolean isClosed() {
        return closed;
    }

    /**
     * Lets nobody take the seat any more, and waits until it is free.
     *
     * @param limit how long to wait
     * @return false when its holder has not left in time
     */
    public boolean close(Duration limit) {
        closed = true;
        long deadline = System.nanoTime() + limit.toNanos();
        while (holder != null) {
            if (System.nanoTime() - deadline >= 0) {
                return false;
            }
            LockSupport.parkNanos(this, 50_000);
        }
        return true;
    }

    /** Lets threads take the seat again. */
    public void open() {
        closed = false;
    }
}
