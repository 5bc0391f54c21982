package io.rdmarpc.concurrent;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Timers of one thread, hashed by their tick (Varghese and Lauck, scheme 6). Arming and cancelling take constant time
 * and allocate nothing. Timers that are not due cost nothing per duty cycle.
 *
 * <pre>
 *   tick t of a timer = (due - start) / tick length          bucket = t mod buckets
 *
 *        0        1        2      ...     now      ...   buckets - 1
 *     [ list ] [ list ] [ list ]       [ list ]          [ list ]        a list holds this round's timers
 *                                          |                             and those of later rounds
 *                                          +--> due list --> onDue
 * </pre>
 *
 * <p>No timer fires early. A timer is late by less than one tick plus the time between two calls of {@link #advance}.
 * The clock may wrap around.
 */
@SuppressWarnings("ReferenceEquality") // the end of a list is recognized by identity
public final class TimerWheel {

    /** Delay after which a timer that threw is due again. */
    static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final WheelTimer[] buckets;
    private final Consumer<Throwable> thrown;
    private final WheelTimer due = new Sentinel();
    private final long startNanos;
    private final int tickShift;
    private long currentNanos;
    private long currentTick;
    private int armed;

    /**
     * Creates an empty wheel.
     *
     * @param tickShift length of a tick as a power of two of nanoseconds
     * @param bucketCount number of buckets, a power of two; a timer that is due after more than this many ticks is
     *     checked once per round
     * @param nowNanos the time at which the wheel starts
     * @param thrown receives the exception that a timer throws; the wheel still calls the other timers, and calls this
     *     one again later
     */
    public TimerWheel(int tickShift, int bucketCount, long nowNanos, Consumer<Throwable> thrown) {
        if (Integer.bitCount(bucketCount) != 1) {
            throw new IllegalArgumentException("the number of buckets must be a power of two, not " + bucketCount);
        }
        this.thrown = thrown;
        this.tickShift = tickShift;
        this.startNanos = nowNanos;
        this.currentNanos = nowNanos;
        this.buckets = new WheelTimer[bucketCount];
        for (int i = 0; i < bucketCount; i++) {
            buckets[i] = new Sentinel();
        }
    }

    /**
     * Arms a timer, or re-arms it. A time in the past is due at the next tick.
     *
     * @param timer the timer
     * @param dueNanos the time at which it is due
     */
    public void arm(WheelTimer timer, long dueNanos) {
        if (timer.armed) {
            timer.unlink();
        } else {
            timer.armed = true;
            armed++;
        }
        timer.dueNanos = dueNanos;
        timer.dueTick = tickOf(dueNanos);
        timer.linkBefore(bucket(Math.max(timer.dueTick, currentTick + 1)));
    }

    /**
     * Arms a timer unless it is armed for that time or an earlier one.
     *
     * @param timer the timer
     * @param dueNanos the latest time at which it is due
     */
    public void armBy(WheelTimer timer, long dueNanos) {
        if (!timer.armed || dueNanos - timer.dueNanos < 0) {
            arm(timer, dueNanos);
        }
    }

    /**
     * Cancels a timer. Does nothing if it is not armed. It may be called from {@link WheelTimer#onDue} of another timer
     * that is due at the same time.
     *
     * @param timer the timer
     */
    public void cancel(WheelTimer timer) {
        if (timer.armed) {
            timer.unlink();
            timer.armed = false;
            armed--;
        }
    }

    /**
     * Calls the timers that are due. Timers armed meanwhile are called in a later cycle at the earliest.
     *
     * @param nowNanos the current time
     * @return number of timers that were due
     */
    public int advance(long nowNanos) {
        long nowTick = tickOf(nowNanos);
        if (nowTick <= currentTick) {
            return 0;
        }
        long first = Math.max(currentTick + 1, nowTick - buckets.length + 1);
        currentTick = nowTick;
        currentNanos = nowNanos;
        if (armed == 0) {
            return 0;
        }
        for (long tick = first; tick <= nowTick; tick++) {
            collect(bucket(tick), nowNanos);
        }
        return callDue(nowNanos);
    }

    /**
     * Moves due timers to the due list. Timers of the current tick that are not due yet move to the next tick; timers
     * of later rounds stay.
     */
    private void collect(WheelTimer bucket, long nowNanos) {
        WheelTimer timer = bucket.next;
        while (timer != bucket) {
            WheelTimer following = timer.next;
            if (timer.dueNanos - nowNanos <= 0) {
                timer.unlink();
                timer.linkBefore(due);
            } else if (timer.dueTick <= currentTick) {
                timer.unlink();
                timer.linkBefore(bucket(currentTick + 1));
            }
            timer = following;
        }
    }

    private int callDue(long nowNanos) {
        int called = 0;
        while (due.next != due) {
            WheelTimer timer = due.next;
            cancel(timer);
            call(timer, nowNanos);
            called++;
        }
        return called;
    }

    /** A timer that throws has not done its work. It is armed again, unless it has already armed itself. */
    private void call(WheelTimer timer, long nowNanos) {
        try {
            timer.onDue(nowNanos);
        } catch (Throwable e) {
            armBy(timer, nowNanos + RETRY_NANOS);
            thrown.accept(e);
        }
    }

    /**
     * Returns whether no timer is armed.
     *
     * @return true if the passage of time causes no work
     */
    public boolean isEmpty() {
        return armed == 0;
    }

    /**
     * Returns the number of armed timers.
     *
     * @return a number of timers
     */
    public int size() {
        return armed;
    }

    /** The difference is correct across a wrap-around of the clock. A time in the past counts as the current time. */
    private long tickOf(long nanos) {
        long ahead = Math.max(0, nanos - currentNanos);
        return (currentNanos - startNanos + ahead) >>> tickShift;
    }

    private WheelTimer bucket(long tick) {
        return buckets[(int) tick & (buckets.length - 1)];
    }

    /** The end of a list. */
    private static final class Sentinel extends WheelTimer {

        Sentinel() {
            previous = this;
            next = this;
        }

        @Override
        protected void onDue(long nowNanos) {
            throw new IllegalStateException("the end of a list is never due");
        }
    }
}
