package io.rdmarpc.rpc.engine.session;

import io.rdmarpc.rpc.config.RetransmitConfig;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.stats.RoundTripStatistics;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * The measured round trips of one session, and the retransmission timeout that follows from them (RFC 6298). The
 * timeout is smoothed time + 4 x variation, within floor and ceiling. Only responses that belong to one known send are
 * measured (Karn's algorithm). Otherwise a timeout that is too short could not grow. Until the next measurement, an
 * expired timeout stays doubled for the session.
 *
 * <p>Written by the engine thread, read by any thread.
 */
public final class RoundTrips {

    public static final int BUCKETS = 32;

    private static final int FIRST_BUCKET_SHIFT = 8;
    private static final int GAIN_SHIFT = 3;
    private static final int VARIATION_GAIN_SHIFT = 2;
    private static final int VARIATION_WEIGHT = 4;
    private static final VarHandle COUNTS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle SMOOTHED = handle("smoothedNanos");
    private static final VarHandle VARIATION = handle("variationNanos");
    private static final VarHandle TIMEOUT = handle("timeoutNanos");

    private final long floorNanos;
    private final long ceilingNanos;
    private long smoothedNanos;
    private long variationNanos;
    private long timeoutNanos;
    private final long[] counts = new long[BUCKETS];

    /** Creates round trips without a measurement. */
    public RoundTrips(long firstTimeoutNanos, long floorNanos, long ceilingNanos) {
        this.floorNanos = floorNanos;
        this.ceilingNanos = ceilingNanos;
        this.timeoutNanos = bounded(firstTimeoutNanos);
    }

    private static VarHandle handle(String field) {
        try {
            return MethodHandles.lookup().findVarHandle(RoundTrips.class, field, long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    public static RoundTrips of(RpcConfig config) {
        RetransmitConfig retransmit = config.retransmit();
        return new RoundTrips(
                retransmit.initialTimeout().toNanos(),
                retransmit.minTimeout().toNanos(),
                retransmit.maxTimeout().toNanos());
    }

    /** Records the round trip of a response whose send is known. */
    public void measured(long nanos) {
        long time = Math.max(0, nanos);
        int bucket = bucketOf(time);
        long smoothed = smoothedNanos;
        long variation = variationNanos;
        if (smoothed == 0) {
            smoothed = Math.max(1, time);
            variation = time / 2;
        } else {
            variation += (Math.abs(smoothed - time) - variation) >> VARIATION_GAIN_SHIFT;
            smoothed = Math.max(1, smoothed + ((time - smoothed) >> GAIN_SHIFT));
        }
        COUNTS.setOpaque(counts, bucket, counts[bucket] + 1);
        SMOOTHED.setOpaque(this, smoothed);
        VARIATION.setOpaque(this, variation);
        TIMEOUT.setOpaque(this, bounded(smoothed + VARIATION_WEIGHT * variation));
    }

    /**
     * Records the response to a retransmitted request, for which the matching send is unknown. Before the first
     * measurement, this upper bound is the best estimate of the peer's round trip.
     */
    public void atMost(long nanos) {
        if (smoothedNanos == 0) {
            TIMEOUT.setOpaque(this, Math.max(timeoutNanos, bounded(2 * nanos)));
        }
    }

    private static int bucketOf(long nanos) {
        int bits = Long.SIZE - Long.numberOfLeadingZeros(nanos >>> FIRST_BUCKET_SHIFT);
        return Math.min(bits, BUCKETS - 1);
    }

    /** Doubles a timeout that has expired without a response. Returns the next timeout for the same call. */
    public long backOff(long passedNanos) {
        long next = bounded(2 * passedNanos);
        // Several calls that expire together must not double it several times.
        TIMEOUT.setOpaque(this, Math.max(timeoutNanos, next));
        return next;
    }

    /** Returns the time without a response after which a new call is retransmitted. */
    public long timeoutNanos() {
        return timeoutNanos;
    }

    /** Clamps a time to floor and ceiling. */
    public long bounded(long nanos) {
        return Math.clamp(nanos, floorNanos, ceilingNanos);
    }

    /** Returns the statistics. Thread-safe. Each number is correct, but the numbers may be from different moments. */
    public RoundTripStatistics statistics() {
        List<Long> histogram = new ArrayList<>(BUCKETS);
        long samples = 0;
        for (int i = 0; i < BUCKETS; i++) {
            long count = (long) COUNTS.getOpaque(counts, i);
            samples += count;
            histogram.add(count);
        }
        return new RoundTripStatistics(
                samples,
                (long) SMOOTHED.getOpaque(this),
                (long) VARIATION.getOpaque(this),
                (long) TIMEOUT.getOpaque(this),
                histogram);
    }
}
