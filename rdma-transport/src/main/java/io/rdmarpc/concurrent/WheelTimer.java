package io.rdmarpc.concurrent;

/**
 * A timer of a {@link TimerWheel}. The links of the wheel's lists are part of it, so that arming allocates nothing.
 * Belongs to the thread that advances the wheel.
 */
@SuppressWarnings("NullAway.Init") // links are set while the timer is in a list, and read only then
public abstract class WheelTimer {

    WheelTimer previous;
    WheelTimer next;
    long dueNanos;
    long dueTick;
    boolean armed;

    /** Creates a timer that is not armed. */
    protected WheelTimer() {}

    /**
     * Runs when the timer is due. The timer is no longer armed and may be armed again. If it throws, the wheel calls it
     * again later.
     *
     * @param nowNanos the wheel's time, at or after the time the timer was armed for
     */
    protected abstract void onDue(long nowNanos);

    /**
     * Returns whether the timer is armed.
     *
     * @return true from arming until {@link #onDue} is called or the timer is cancelled
     */
    public final boolean isArmed() {
        return armed;
    }

    /**
     * Returns the time for which the timer was last armed.
     *
     * @return nanoseconds of the wheel's clock; defined while it is armed
     */
    public final long dueNanos() {
        return dueNanos;
    }

    final void linkBefore(WheelTimer other) {
        previous = other.previous;
        next = other;
        previous.next = this;
        other.previous = this;
    }

    final void unlink() {
        previous.next = next;
        next.previous = previous;
    }
}
