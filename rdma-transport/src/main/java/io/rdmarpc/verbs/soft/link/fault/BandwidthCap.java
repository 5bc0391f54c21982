package io.rdmarpc.verbs.soft.link.fault;

/**
 * Simulates a port that is slower than the machine. A sender that exceeds the rate has to retry later, as with a full
 * NIC queue. The packets of one millisecond may be sent at once, so that a thread that polls late does not lose
 * bandwidth.
 */
final class BandwidthCap {

    private static final double NANOS_PER_SECOND = 1e9;
    private static final long BURST_NANOS = 1_000_000;

    private final double nanosPerByte;
    private long freeAtNanos;
    private boolean started;

    /**
     * Creates a cap.
     *
     * @param bytesPerSecond maximum rate in bytes per second; 0 for no limit
     */
    BandwidthCap(long bytesPerSecond) {
        this.nanosPerByte = bytesPerSecond == 0 ? 0 : NANOS_PER_SECOND / bytesPerSecond;
    }

    boolean isNone() {
        return nanosPerByte == 0;
    }

    /** Returns whether the port is busy, so that no packet may be sent now. */
    boolean isBusy(long now) {
        return started && freeAtNanos - now > BURST_NANOS;
    }

    /** Counts sent bytes. */
    void use(int bytes, long now) {
        long from = started && freeAtNanos - now > 0 ? freeAtNanos : now;
        started = true;
        freeAtNanos = from + (long) (bytes * nanosPerByte);
    }
}
