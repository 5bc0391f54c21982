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
 * Selects the thread that drives an RNIC while no user polls. One of the waiting threads is the driver. It polls for a
 * while, then sleeps until a packet arrives or a timeout of the protocol is due. The others sleep until the driver has
 * an event for them. When the driver leaves, another waiting thread becomes the driver.
 *
 * <p>Everything except the sleep itself happens under the RNIC's lock. The driver never sleeps through an event. A
 * thread that posts while the driver sleeps sends the ready packets before it releases the lock ({@link #catchUp}). It
 * then wakes the driver if a deadline has become earlier. A wake-up before the sleep has begun ends the sleep at once.
 */
public final class ProgressDriver {

    /** Maximum sleep while the link or a window is full; usually the packet that makes room ends it earlier. */
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

    /** Creates a waiter, and the parker in which it can sleep. */
    public Waiter newWaiter() {
        parker();
        return new Waiter(lock.newCondition());
    }

    /** Registers a waiter. */
    public void enter(Waiter waiter) {
        waiters.add(waiter);
    }

    /**
     * Waits for an event, and drives the RNIC if no other waiter does. May return without an event.
     *
     * @param nanos maximum time in nanoseconds
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

    /** Wakes the driver, because this thread may have received the driver's events before it began to wait. */
    private void notifyDriver() {
        if (asleep) {
            catchUp();
        }
        ringNow();
    }

    /** Ends the wait; another waiter becomes the driver. */
    public void leave(Waiter waiter) {
        waiters.remove(waiter);
        if (driver == waiter) {
            driver = null;
        }
        // This also applies to a waiter that was woken to become the driver, but whose event has happened.
        if (driver == null && !waiters.isEmpty()) {
            waiters.getFirst().wakeUp();
        }
        waiter.releaseInterrupt();
    }

    /** Wakes a waiter, because its event has happened. */
    public void wake(Waiter waiter) {
        if (driver != waiter) {
            waiter.wakeUp();
        } else if (asleep) {
            ring();
        }
    }

    /**
     * Runs one step. A step that sleeps does not run the RNIC, because the waiter's event may have ended the sleep. The
     * waiter checks for it before the next step, which then runs the RNIC.
     */
    private void drive(Waiter waiter, long nanos) {
        if (hasSlept) {
            hasSlept = false;
            rnic.progress();
            return;
        }
        long now = nanoClock.getAsLong();
        boolean hasProgressed = rnic.hasProgressed();
        if (hasProgressed) {
            spinsUntilNanos = now + spinNanos;
        }
        if ((hasProgressed && schedule.hasReady()) || now - spinsUntilNanos < 0) {
            yieldLock();
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
        return Math.min(Math.min(Parker.LONGEST_NANOS, link.longestSleepNanos()), schedule.nanosToCheck(now));
    }

    private void sleepUnlessPacketsWait(Waiter waiter, long nanos) {
        try {
            if (nanos > 0 && link.prepareSleep()) {
                waiter.holdInterrupt();
                sleep(nanos);
            } else {
                yieldLock();
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

    /** Releases the lock for a moment, so that a polling driver does not lock out threads that post. */
    @SuppressWarnings("ThreadPriorityCheck") // Other threads wait for the lock.
    private void yieldLock() {
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
     * Does the driver's next step while it sleeps: sends the work requests that other threads have posted, and wakes
     * the driver for all other work. A peer rings only once for each sleep, and a thread that has polled may have
     * consumed that ring. So the link has to prepare for the sleep again.
     */
    public void catchUp() {
        schedule.runReady();
        link.flush();
        if (schedule.hasReady() || schedule.nanosToCheck(wakesAtNanos) < 0 || !link.prepareSleep()) {
            ring();
        }
    }

    private void ring() {
        if (!rung) {
            rung = true;
            ringPending = true;
        }
    }

    /** Returns whether the thread that releases the lock has to wake the driver. */
    public boolean ringPending() {
        return ringPending;
    }

    /** Releases the lock before it wakes the driver, which would otherwise block on the lock. */
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

    /** Ends the driver's sleep, waits until it is awake, and closes the parker. All waiters have to stop waiting. */
    public void close() {
        while (asleep) {
            ring();
            ringNow();
            driverIsAwake.awaitUninterruptibly();
        }
        ringPending = false;
        while (ringers.get() > 0) {
            // Each makes one system call, which does not need the lock.
            Thread.onSpinWait();
        }
        if (parker != null) {
            parker.close();
            parker = null;
        }
    }
}
