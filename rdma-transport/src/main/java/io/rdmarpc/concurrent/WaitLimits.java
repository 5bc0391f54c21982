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
 * Waits of virtual threads that have an end, without a timer for each. A virtual thread that parks with a limit puts a task into
 * a queue of timers which all carriers share, and takes it out again when it is woken: more work than all of the rest of a short
 * wait, for an end that hardly ever comes. Here it leaves its name and its limit in a table, and one virtual thread looks through
 * that now and then. Who finds no place there, and every platform thread, parks with a timer.
 *
 * <pre>
 *   waiting thread:   take a place -> write the limit -> look for the watch -> park -> leave the place
 *   the watch:        every 100 ms: unpark whose limit has passed;  nobody there for 2 s: say so, look once more, end
 * </pre>
 *
 * <p>A place may have been left and taken again between two looks at it: then a thread is woken for nothing, as park allows.
 */
public final class WaitLimits {

    /** So much later than its limit a wait may end. */
    public static final Duration INTERVAL = Duration.ofMillis(100);

    private static final int PLACES = 4096;
    private static final int PROBES = 4;
    private static final int LOOKS_FOR_NOBODY = 20;
    private static final System.Logger LOG = System.getLogger(WaitLimits.class.getName());
    private static final FailureLog FAILURES = new FailureLog(LOG);
    private static final VarHandle THREAD = threadHandle();

    private final Place[] places;
    private final long intervalNanos;
    private final Executor watches;
    private final AtomicBoolean watched = new AtomicBoolean();

    /** Where one thread waits. */
    private static final class Place {
        private volatile @Nullable Thread thread;
        private volatile long latestNanos;
    }

    /** Makes one with room for some thousand threads. */
    public WaitLimits() {
        this(PLACES, INTERVAL, WaitLimits::startVirtually);
    }

    /**
     * Makes one with settings of a test.
     *
     * @param places how many threads it has room for, a power of two
     * @param interval between two looks at the limits
     * @param watches starts the watch on a thread of its own
     */
    WaitLimits(int places, Duration interval, Executor watches) {
        this.intervalNanos = interval.toNanos();
        this.watches = watches;
        this.places = new Place[places];
        Arrays.setAll(this.places, i -> new Place());
    }

    private static VarHandle threadHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(Place.class, "thread", Thread.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * Parks the current thread until it is unparked or interrupted, or some time after the limit; may return for no reason.
     *
     * @param blocker what it waits for, for tools that show that
     * @param latestNanos the limit, as {@link System#nanoTime()} tells time
     */
    public void park(Object blocker, long latestNanos) {
        Thread me = Thread.currentThread();
        Place place = me.isVirtual() ? take(me) : null;
        if (place == null) {
            LockSupport.parkNanos(blocker, latestNanos - System.nanoTime());
            return;
        }
        place.latestNanos = latestNanos;
        try {
            if (watched.get() || watch()) {
                LockSupport.park(blocker);
            } else {
                LockSupport.parkNanos(blocker, latestNanos - System.nanoTime());
            }
        } finally {
            place.thread = null;
        }
    }

    private @Nullable Place take(Thread me) {
        int first = (int) me.threadId();
        for (int i = 0; i < PROBES; i++) {
            Place place = places[first + i & places.length - 1];
            if (place.thread == null && THREAD.compareAndSet(place, null, me)) {
                return place;
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
            watches.execute(this::look);
            started = true;
        } catch (RejectedExecutionException | Error e) {
            LOG.log(System.Logger.Level.WARNING, "no thread can be started to end waits of virtual threads", e);
        } finally {
            if (!started) {
                watched.set(false);
                wakeAll();
            }
        }
        return started;
    }

    /** Those that took the watch for started wait anew, each with a timer. */
    private void wakeAll() {
        for (Place place : places) {
            LockSupport.unpark(place.thread);
        }
    }

    /** The watch must not inherit anything from the thread that waits first. Without a carrier for it, waiters have none either. */
    static void startVirtually(Runnable watch) {
        Thread.ofVirtual()
                .name("rdma-wait-limits")
                .inheritInheritableThreadLocals(false)
                .start(watch);
    }

    private void look() {
        int without = 0;
        do {
            try {
                LockSupport.parkNanos(this, intervalNanos);
                without = wakeLate() > 0 ? 0 : without + 1;
            } catch (Throwable e) {
                // Without this thread the waits of all others would have no end.
                FAILURES.report("the thread that ends waits of virtual threads failed, and goes on", e);
                without = 0;
            }
        } while (without < LOOKS_FOR_NOBODY || !mayEnd());
    }

    /** Who takes a place looks for the watch afterwards, so either is seen by the other. */
    private boolean mayEnd() {
        watched.set(false);
        return wakeLate() == 0 || !watched.compareAndSet(false, true);
    }

    /** Returns how many wait. */
    private int wakeLate() {
        long now = System.nanoTime();
        int waiting = 0;
        for (Place place : places) {
            Thread thread = place.thread;
            if (thread != null) {
                waiting++;
                if (now - place.latestNanos >= 0) {
                    LockSupport.unpark(thread);
                }
            }
        }
        return waiting;
    }

    /** Counts the threads that have a place. */
    int waiting() {
        return (int) Arrays.stream(places).filter(place -> place.thread != null).count();
    }

    /** Tells whether somebody looks at the limits. */
    boolean isWatched() {
        return watched.get();
    }
}
