package io.rdmarpc.verbs.soft.rnic;

import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.soft.port.DeviceConstants;
import io.rdmarpc.verbs.soft.progress.ProgressDriver;
import io.rdmarpc.verbs.soft.progress.Waiter;
import java.time.Duration;

/**
 * Lets a thread wait for the events of completion queues. The waiting thread also drives the RNIC, or waits for another
 * thread that does: {@link ProgressDriver}. Closing it closes its completion queues.
 */
public final class SoftCompletionChannel implements CompletionChannel, OpenChildren.Child {

    private static final String WAIT = "ibv_get_cq_event";

    // Longest time that can be added to the clock without overflow (146 years).
    private static final Duration MAX_WAIT = Duration.ofNanos(Long.MAX_VALUE / 2);

    private final RnicContext rnic;
    private final ProgressDriver driver;
    private final Waiter waiter;
    private final OpenChildren siblings;
    private final OpenChildren queues = new OpenChildren();
    private boolean waitedFor;
    private boolean woken;
    private boolean held;
    private boolean closed;
    private int events;

    public SoftCompletionChannel(RnicContext rnic, OpenChildren siblings) {
        this.rnic = rnic;
        this.driver = rnic.progressDriver();
        this.waiter = driver.newWaiter();
        this.siblings = siblings;
        siblings.add(this);
    }

    public RnicContext rnic() {
        return rnic;
    }

    OpenChildren queues() {
        return queues;
    }

    // ---- waiting ----

    @Override
    public int await(Duration timeout) {
        long nanos = nanos(timeout);
        rnic.lock();
        try {
            checkOpen(WAIT);
            if (waitedFor) {
                throw failure(Errno.EBUSY, "Another thread waits on this channel. Create a channel for each thread.");
            }
            return awaitAlone(nanos);
        } finally {
            rnic.unlock();
        }
    }

    private static long nanos(Duration timeout) {
        if (timeout.isNegative()) {
            return 0;
        }
        return timeout.compareTo(MAX_WAIT) > 0 ? MAX_WAIT.toNanos() : timeout.toNanos();
    }

    private int awaitAlone(long nanos) {
        waitedFor = true;
        try {
            driver.enter(waiter);
            rnic.poll();
            return awaitEvents(nanos);
        } finally {
            waitedFor = false;
            held = false;
            driver.leave(waiter);
        }
    }

    private int awaitEvents(long nanos) {
        long end = rnic.nanoTime() + nanos;
        long left = nanos;
        while ((events == 0 || held) && !woken && !closed && left > 0) {
            driver.await(waiter, left);
            left = end - rnic.nanoTime();
        }
        checkOpen(WAIT);
        woken = false;
        return events == 0 ? 0 : drainEvents();
    }

    private int drainEvents() {
        int taken = events;
        events = 0;
        queues.forEach(queue -> ((SoftCompletionQueue) queue).clearEvents());
        return taken;
    }

    @Override
    public void wakeUp() {
        rnic.lock();
        try {
            if (!closed) {
                woken = true;
                driver.wake(waiter);
            }
        } finally {
            rnic.unlock();
        }
    }

    @Override
    public boolean holdEvents() {
        rnic.lock();
        try {
            held = waitedFor && events == 0 && !woken && !closed;
            return held;
        } finally {
            rnic.unlock();
        }
    }

    @Override
    public void releaseEvents() {
        rnic.lock();
        try {
            if (held) {
                held = false;
                if (events > 0) {
                    driver.wake(waiter);
                }
            }
        } finally {
            rnic.unlock();
        }
    }

    // ---- events, under the lock ----

    /** Adds an event: an armed queue has a completion. */
    void addEvent() {
        events++;
        if (!held) {
            driver.wake(waiter);
        }
    }

    /** Returns whether events are held back, because another thread polls in place of the waiting one. */
    boolean isHeld() {
        return held;
    }

    /** Removes the events of a closed queue. */
    void removeEvents(int count) {
        events -= count;
    }

    // ---- the end ----

    public void checkOpen(String verb) {
        if (closed) {
            throw new RdmaVerbsException(
                    verb, DeviceConstants.NAME, Errno.EINVAL, "The completion channel is closed. Create another.");
        }
    }

    private static RdmaVerbsException failure(int errno, String explanation) {
        return new RdmaVerbsException(WAIT, DeviceConstants.NAME, errno, explanation);
    }

    @Override
    public void close() {
        rnic.lock();
        try {
            if (!closed) {
                closed = true;
                queues.closeAll();
                driver.wake(waiter);
                siblings.remove(this);
            }
        } finally {
            rnic.unlock();
        }
    }
}
