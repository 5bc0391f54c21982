package io.rdmarpc.concurrent;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Timers of one thread, hashed by their tick (Varghese and Lauck, scheme 6): arming and cancelling take constant time
 * and allocate nothing, and timers that are not due cost nothing per turn.
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
 * <p>No timer is early; one is late by less than a tick and the time between two turns. The clock may wrap around.
 */
@SuppressWarnings("ReferenceEquality") // the end of a list is recognized by identity
public final class TimerWheel {

    /** After which a timer that threw is due again. */
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
     * Makes an empty wheel.
     *
     * @param tickShift length of a tick as a power of two of nanoseconds
     * @param bucketCount a power of two; timers further away than this many ticks are looked at once per round
     * @param nowNanos the time it starts at
     * @param thrown told what a timer has thrown; the others are called all the same, and this one again later
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
     * Arms a timer, again if it is armed already. A time that is over is due at the next tick.
     *
     * @param timer which
     * @param dueNanos when
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
     * @param timer which
     * @param dueNanos when at the latest
     */
    public void armBy(WheelTimer timer, long dueNanos) {
        if (!timer.armed || dueNanos - timer.dueNanos < 0) {
            arm(timer, dueNanos);
        }
    }

    /**
     * Takes a timer out; does nothing when it is not armed. Also from inside {@link WheelTimer#onDue} of another one that
     * is due at the same time.
     *
     * @param timer which
     */
    public void cancel(WheelTimer timer) {
        if (timer.armed) {
            timer.unlink();
            timer.armed = false;
            armed--;
        }
    }

    /**
     * Calls what is due. Timers armed meanwhile are called in a later turn at the earliest.
     *
     * @param nowNanos the time
     * @return how many were due
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

    /** Those of the current tick that are not due yet move on to the next one; those of later rounds stay. */
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

    /** A timer that throws has not done what it is for: it comes again, unless it has seen to that itself. */
    private void call(WheelTimer timer, long nowNanos) {
        try {
            timer.onDue(nowNanos);
        } catch (Throwable e) {
            armBy(timer, nowNanos + RETRY_NANOS);
            thrown.accept(e);
        }
    }

    /**
     * Tells whether a timer is armed.
     *
     * @return false when time alone brings nothing
     */
    public boolean isEmpty() {
        return armed == 0;
    }

    /**
     * Counts the armed timers.
     *
     * @return how many
     */
    public int size() {
        return armed;
    }

    /** Differences are right across a wrap-around of the clock; what is over counts as now. */
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
