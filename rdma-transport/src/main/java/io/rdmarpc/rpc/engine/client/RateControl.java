package io.rdmarpc.rpc.engine.client;

import io.rdmarpc.rpc.wire.CreditWord;
import java.util.concurrent.TimeUnit;

/**
 * The rate of one session, controlled by its round trips with TIMELY (Mittal et al., SIGCOMM 2015, algorithm 1, with
 * constants near those of eRPC). If many senders share one port, its queue causes longer round trips before it
 * overflows. All senders then slow down and share the port.
 *
 * <pre>
 *   round trip          &lt; LOW               LOW .. HIGH                        &gt; HIGH
 *   rate          + STEP         + STEP, x 5 after 5 in a row         x (1 - B (1 - HIGH / time))
 *                                while it does not grow;
 *                                x (1 - B x growth) while it grows
 * </pre>
 *
 * A call may start when the earlier calls have used their time at the current rate. A burst of {@link #BURST_NANOS} is
 * allowed, because timers are not finer. Engine thread only.
 */
public final class RateControl {

    public static final double FASTEST_BYTES_PER_SECOND = 12.5e9;
    public static final double SLOWEST_BYTES_PER_SECOND = 1e6;

    private static final double STEP_BYTES_PER_SECOND = 1e6;
    private static final long LOW_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
    private static final long HIGH_NANOS = TimeUnit.MICROSECONDS.toNanos(500);
    private static final long BURST_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
    private static final double NEWEST_WEIGHT = 0.46;
    private static final double DECREASE = 0.26;
    private static final int CALM_BEFORE_FASTER = 5;
    private static final double NANOS_PER_SECOND = 1e9;

    private double bytesPerSecond = FASTEST_BYTES_PER_SECOND;
    private double growthNanos;
    private long lowestNanos = Long.MAX_VALUE;
    private long lastNanos;
    private int calm;
    private boolean started;
    private long paidUntilNanos;

    /** Returns whether a call may start. */
    public boolean mayStart(long nowNanos) {
        return !started || nowNanos - nextStartNanos() >= 0;
    }

    /** Returns when the next call may start. */
    long nextStartNanos() {
        return paidUntilNanos - BURST_NANOS;
    }

    /** Records the start of a call, whose bytes use time at the current rate. */
    public void onStart(int bytes, long nowNanos) {
        if (!started || nowNanos - paidUntilNanos > 0) {
            paidUntilNanos = nowNanos;
            started = true;
        }
        paidUntilNanos += (long) (bytes * NANOS_PER_SECOND / bytesPerSecond);
    }

    /**
     * Records the response to a call. The server's execution time is not network time and is subtracted. If it exceeds
     * the range of its field, the measurement is not used.
     */
    void onResponse(long measuredNanos, int servedMicros) {
        if (servedMicros < CreditWord.LONGEST_MICROS) {
            onRoundTrip(measuredNanos - TimeUnit.MICROSECONDS.toNanos(servedMicros));
        }
    }

    /** Records a measured round trip. */
    public void onRoundTrip(long measuredNanos) {
        long nanos = Math.max(1, measuredNanos);
        long before = lastNanos == 0 ? nanos : lastNanos;
        lastNanos = nanos;
        lowestNanos = Math.min(lowestNanos, nanos);
        growthNanos = (1 - NEWEST_WEIGHT) * growthNanos + NEWEST_WEIGHT * (nanos - before);
        double rate = next(nanos, growthNanos / lowestNanos);
        bytesPerSecond = Math.clamp(rate, SLOWEST_BYTES_PER_SECOND, FASTEST_BYTES_PER_SECOND);
    }

    private double next(long nanos, double growth) {
        if (nanos < LOW_NANOS) {
            return bytesPerSecond + STEP_BYTES_PER_SECOND;
        }
        if (nanos > HIGH_NANOS) {
            calm = 0;
            return bytesPerSecond * (1 - DECREASE * (1 - (double) HIGH_NANOS / nanos));
        }
        if (growth <= 0) {
            calm++;
            return bytesPerSecond + (calm >= CALM_BEFORE_FASTER ? CALM_BEFORE_FASTER : 1) * STEP_BYTES_PER_SECOND;
        }
        calm = 0;
        return bytesPerSecond * (1 - DECREASE * Math.min(1, growth));
    }

    public double bytesPerSecond() {
        return bytesPerSecond;
    }
}
