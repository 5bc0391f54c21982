package io.rdmarpc.verbs.soft.progress;

import io.rdmarpc.verbs.ffi.NativeAccess;
import io.rdmarpc.verbs.soft.link.PacketLink;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Selects the thread that drives a RNIC while no user polls. Of all threads that wait for something one drives: it polls for a while, then
 * sleeps until a packet comes or a time-out of the protocol is due. The others wait until the driver has something for them. When the
 * driver leaves, one of them drives.
 *
 * <p>Everything but the sleep itself happens under the RNIC's lock. No event is slept through: a thread that changes something while the
 * driver sleeps does so under the lock and, before it unlocks, sends the packets that are ready ({@link #catchUp}). Then it rings if the
 * driver must look at the clock earlier. A ring before the sleep has begun ends it at once.
 */
public final class ProgressDriver {

    /** How long to wait when the link is full or a window is: whatever makes room usually comes as a packet. */
    private static final long NAP_NANOS = 50_000;

    private final Progress rnic;
    private final RnicLock lock;
    private final PacketLink link;
    private final Schedule schedule;
    private final LongSupplier nanoClock;
    private final long spinNanos;
    private final Condition driverIsAwake;
    private final AtomicInteger ringers = new AtomicInteger();
    private final List<Waiter> waiters = new ArrayList<>();
    private @Nullable Parker parker;
    private @Nullable Waiter driver;
    private boolean asleep;
    private boolean hasSlept;
    private boolean rung;
    private boolean ringPending;
    private long wakesAtNanos;
    private long spinsUntilNanos;

    public ProgressDriver(
            Progress rnic, RnicLock lock, PacketLink link, Schedule schedule, LongSupplier nanoClock, long spinNanos) {
        this.rnic = rnic;
        this.lock = lock;
        this.link = link;
        this.schedule = schedule;
        this.nanoClock = nanoClock;
        this.spinNanos = spinNanos;
        this.driverIsAwake = lock.newCondition();
    }

    /** Makes a waiter, and sees to it that it can sleep. */
    public Waiter newWaiter() {
        parker();
        return new Waiter(lock.newCondition());
    }

    /** Begins to wait. */
    public void enter(Waiter waiter) {
        waiters.add(waiter);
    }

    /**
     * Waits for any event, and drives if no other waiter does. May return at any time without an event.
     *
     * @param nanos how long at most
     */
    public void await(Waiter waiter, long nanos) {
        if (driver == null) {
            driver = waiter;
            spinsUntilNanos = nanoClock.getAsLong() + spinNanos;
        }
        if (driver == waiter) {
            drive(waiter, nanos);
        } else {
            notifyDriver();
            waiter.sleep(nanos);
        }
    }

    /** What this waiter has found when it began to wait may be for the driver. */
    private void notifyDriver() {
        if (asleep) {
            catchUp();
        }
        ringNow();
    }

    /** Ends the wait: another waiter drives from now on. */
    public void leave(Waiter waiter) {
        waiters.remove(waiter);
        if (driver == waiter) {
            driver = null;
        }
        // Also when this one was woken to drive and has found what it waited for instead.
        if (driver == null && !waiters.isEmpty()) {
            waiters.getFirst().wakeUp();
        }
        waiter.releaseInterrupt();
    }

    /** Wakes a waiter: what it waits for has happened. */
    public void wake(Waiter waiter) {
        if (driver != waiter) {
            waiter.wakeUp();
        } else if (asleep) {
            ring();
        }
    }

    /** One step; what a sleep was ended for may be there already, so the waiter looks before the RNIC moves on. */
    private void drive(Waiter waiter, long nanos) {
        if (hasSlept) {
            hasSlept = false;
            rnic.progress();
            return;
        }
        long now = nanoClock.getAsLong();
        boolean moved = rnic.moved();
        if (moved) {
            spinsUntilNanos = now + spinNanos;
        }
        if ((moved && schedule.hasReady()) || now - spinsUntilNanos < 0) {
            letOthersIn();
            rnic.progress();
        } else {
            sleepUnlessPacketsWait(waiter, Math.min(nanos, longestSleep(now)));
            hasSlept = true;
        }
    }

    private long longestSleep(long now) {
        if (schedule.hasReady()) {
            return NAP_NANOS;
        }
        return Math.min(Math.min(Parker.LONGEST_NANOS, link.longestSleepNanos()), schedule.nanosToLook(now));
    }

    private void sleepUnlessPacketsWait(Waiter waiter, long nanos) {
        try {
            if (nanos > 0 && link.prepareSleep()) {
                waiter.holdInterrupt();
                sleep(nanos);
            } else {
                letOthersIn();
            }
        } finally {
            link.endSleep();
        }
    }

    private void sleep(long nanos) {
        Parker used = parker();
        asleep = true;
        rung = false;
        wakesAtNanos = nanoClock.getAsLong() + nanos;
        lock.unlock();
        try {
            used.sleep(nanos);
        } finally {
            lock.lock();
            asleep = false;
            driverIsAwake.signalAll();
        }
    }

    /** Who looks for packets all the time must not keep those out who have some to send. */
    @SuppressWarnings("ThreadPriorityCheck") // Others wait for the lock just now.
    private void letOthersIn() {
        boolean awaited = lock.hasQueuedThreads();
        lock.unlock();
        try {
            if (awaited) {
                Thread.yield();
            } else {
                Thread.onSpinWait();
            }
        } finally {
            lock.lock();
        }
    }

    private Parker parker() {
        Parker found = parker;
        if (found == null) {
            found = NativeAccess.isGranted() && link.channels().isEmpty()
                    ? new EpollParker(link.descriptors(), link.bells())
                    : new SelectorParker(link.channels());
            parker = found;
        }
        return found;
    }

    public boolean isAsleep() {
        return asleep;
    }

    /**
     * Does what the driver would do next, were it awake: sends what others have posted, and wakes it for the rest. Who
     * polled meanwhile may have taken the bell that was meant for the driver, and a peer rings once only: so the link is
     * told again that somebody sleeps.
     */
    public void catchUp() {
        schedule.runReady();
        link.flush();
        if (schedule.hasReady() || schedule.nanosToLook(wakesAtNanos) < 0 || !link.prepareSleep()) {
            ring();
        }
    }

    private void ring() {
        if (!rung) {
            rung = true;
            ringPending = true;
        }
    }

    /** Tells whether the driver is to be woken by whoever lets go of the lock. */
    public boolean ringPending() {
        return ringPending;
    }

    /** Lets go of the lock first: who is woken wants it, and would sleep again until it is free. */
    public void unlockAndRing() {
        ringPending = false;
        ringers.incrementAndGet();
        Parker used = parker;
        lock.unlock();
        try {
            if (used != null) {
                used.wakeUp();
            }
        } finally {
            ringers.decrementAndGet();
        }
    }

    private void ringNow() {
        if (ringPending) {
            ringPending = false;
            parker().wakeUp();
        }
    }

    /** Ends the driver's sleep, waits until it is awake, and frees what it slept in. All waiters know that it ends. */
    public void close() {
        while (asleep) {
            ring();
            ringNow();
            driverIsAwake.awaitUninterruptibly();
        }
        ringPending = false;
        while (ringers.get() > 0) {
            // One system call each, for which they do not need the lock.
            Thread.onSpinWait();
        }
        if (parker != null) {
            parker.close();
            parker = null;
        }
    }
}
