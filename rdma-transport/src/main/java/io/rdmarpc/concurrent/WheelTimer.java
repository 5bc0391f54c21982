package io.rdmarpc.concurrent;

/**
 * Something that is due at a time, and the links by which a {@link TimerWheel} holds it: arming allocates nothing. Belongs
 * to the thread that turns its wheel.
 */
@SuppressWarnings("NullAway.Init") // links are set while the timer is in a list, and read only then
public abstract class WheelTimer {

    WheelTimer previous;
    WheelTimer next;
    long dueNanos;
    long dueTick;
    boolean armed;

    /** Makes a timer that is not armed. */
    protected WheelTimer() {}

    /**
     * Called once when the time has come; the timer is not armed any more and may be armed again. One that throws is called
     * again later.
     *
     * @param nowNanos the wheel's time, at or after the time it was armed for
     */
    protected abstract void onDue(long nowNanos);

    /**
     * Tells whether it waits for its time.
     *
     * @return true from arming to the call of {@link #onDue} or to cancelling
     */
    public final boolean isArmed() {
        return armed;
    }

    /**
     * Returns the time it was last armed for.
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
