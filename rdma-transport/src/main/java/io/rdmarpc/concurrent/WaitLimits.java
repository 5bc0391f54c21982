package io.rdmarpc.concurrent;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Bounded waits of virtual threads without a timer for each. A virtual thread that parks with a limit adds a task to a
 * timer queue that all carriers share. It removes the task when it is woken. That is more work than the rest of a short
 * wait, for a limit that is rarely reached.
 *
 * <p>With this class, the thread writes itself and its limit into a table, and one virtual thread, the watch, scans
 * that table at intervals. A virtual thread that finds no free entry parks with a timer, and so does every platform
 * thread.
 *
 * <pre>
 *   waiting thread:   claim an entry -> write the limit -> check for the watch -> park -> clear the entry
 *   the watch:        every 100 ms: unpark threads whose limit has passed
 *                     no thread waits for 2 s: publish the end, scan once more, end
 * </pre>
 *
 * <p>The watch may see an entry that was cleared and claimed again during its scan. It then wakes a thread spuriously,
 * which {@code park} allows.
 */
public final class WaitLimits {

    /** Maximum delay of a wait's end after its limit. */
    public static final Duration INTERVAL = Duration.ofMillis(100);

    private static final int ENTRIES = 4096;
    private static final int PROBES = 4;
    private static final int EMPTY_SCANS_BEFORE_END = 20;
    private static final System.Logger LOG = System.getLogger(WaitLimits.class.getName());
    private static final FailureLog FAILURES = new FailureLog(LOG);
    private static final VarHandle THREAD = threadHandle();

    private final Entry[] entries;
    private final long intervalNanos;
    private final Executor watches;
    private final AtomicBoolean watched = new AtomicBoolean();

    /** An entry of the table, in which one thread waits. */
    private static final class Entry {
        private volatile @Nullable Thread thread;
        private volatile long latestNanos;
    }

    /** Creates a table for some thousand threads. */
    public WaitLimits() {
        this(ENTRIES, INTERVAL, WaitLimits::startVirtually);
    }

    /**
     * Creates a table with given settings, for tests.
     *
     * @param entryCount number of threads that can wait in the table, a power of two
     * @param interval time between two scans of the limits
     * @param watches starts the watch on a new thread
     */
    WaitLimits(int entryCount, Duration interval, Executor watches) {
        this.intervalNanos = interval.toNanos();
        this.watches = watches;
        this.entries = new Entry[entryCount];
        Arrays.setAll(this.entries, i -> new Entry());
    }

    private static VarHandle threadHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(Entry.class, "thread", Thread.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * Parks the current thread until it is unparked or interrupted, or until some time after the limit. May return
     * spuriously.
     *
     * @param blocker the object that the thread waits for, as shown by diagnostic tools
     * @param latestNanos the limit, as a time of {@link System#nanoTime()}
     */
    public void park(Object blocker, long latestNanos) {
        Thread me = Thread.currentThread();
        Entry entry = me.isVirtual() ? claim(me) : null;
        if (entry == null) {
            LockSupport.parkNanos(blocker, latestNanos - System.nanoTime());
            return;
        }
        entry.latestNanos = latestNanos;
        try {
            if (watched.get() || watch()) {
                LockSupport.park(blocker);
            } else {
                LockSupport.parkNanos(blocker, latestNanos - System.nanoTime());
            }
        } finally {
            entry.thread = null;
        }
    }

    private @Nullable Entry claim(Thread me) {
        int first = (int) me.threadId();
        for (int i = 0; i < PROBES; i++) {
            Entry entry = entries[first + i & entries.length - 1];
            if (entry.thread == null && THREAD.compareAndSet(entry, null, me)) {
                return entry;
            }
        }
        return null;
    }

    /** Starts the watch. Returns false if its thread cannot be started: the caller then needs a timer of its own. */
    private boolean watch() {
        if (!watched.compareAndSet(false, true)) {
            return true;
        }
        boolean started = false;
        try {
            watches.execute(this::watchLimits);
            started = true;
        } catch (RejectedExecutionException | Error e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Cannot start the thread that ends waits of virtual threads; each wait uses its own timer",
                    e);
        } finally {
            if (!started) {
                watched.set(false);
                wakeAll();
            }
        }
        return started;
    }

    /** Threads that saw the watch as started wait again, each with a timer. */
    private void wakeAll() {
        for (Entry entry : entries) {
            LockSupport.unpark(entry.thread);
        }
    }

    /**
     * The watch must not inherit anything from the thread that waits first. If there is no carrier for the watch, the
     * waiting threads have none either.
     */
    static void startVirtually(Runnable watch) {
        Thread.ofVirtual()
                .name("rdma-wait-limits")
                .inheritInheritableThreadLocals(false)
                .start(watch);
    }

    private void watchLimits() {
        int emptyScans = 0;
        do {
            try {
                LockSupport.parkNanos(this, intervalNanos);
                emptyScans = unparkOverdue() > 0 ? 0 : emptyScans + 1;
            } catch (Throwable e) {
                // Without this thread the waits of all other threads would never end.
                FAILURES.report("the thread that ends waits of virtual threads failed and continues", e);
                emptyScans = 0;
            }
        } while (emptyScans < EMPTY_SCANS_BEFORE_END || !tryEnd());
    }

    /** A thread that claims an entry checks for the watch afterwards, so that one of the two sees the other. */
    private boolean tryEnd() {
        watched.set(false);
        return unparkOverdue() == 0 || !watched.compareAndSet(false, true);
    }

    /** Unparks the threads whose limit has passed, and returns how many threads wait. */
    private int unparkOverdue() {
        long now = System.nanoTime();
        int waiting = 0;
        for (Entry entry : entries) {
            Thread thread = entry.thread;
            if (thread != null) {
                waiting++;
                if (now - entry.latestNanos >= 0) {
                    LockSupport.unpark(thread);
                }
            }
        }
        return waiting;
    }

    /** Returns how many threads have an entry. */
    int waiting() {
        return (int)
                Arrays.stream(entries).filter(entry -> entry.thread != null).count();
    }

    /** Returns whether the watch scans the limits. */
    boolean isWatched() {
        return watched.get();
    }
}
