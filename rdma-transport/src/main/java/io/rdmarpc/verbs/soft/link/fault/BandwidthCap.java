package io.rdmarpc.verbs.soft.link.fault;

/**
 * A port that is slower than the machine: who sends too much is told to try again later, as by a NIC whose queue is full.
 * What fits into a millisecond may go at once, so that a late owner loses none of its share.
 */
final class BandwidthCap {

    private static final double NANOS_PER_SECOND = 1e9;
    private static final long BURST_NANOS = 1_000_000;

    private final double nanosPerByte;
    private long freeAtNanos;
    private boolean started;

    /**
     * Makes a cap.
     *
     * @param bytesPerSecond 0 for none
     */
    BandwidthCap(long bytesPerSecond) {
        this.nanosPerByte = bytesPerSecond == 0 ? 0 : NANOS_PER_SECOND / bytesPerSecond;
    }

    boolean isNone() {
        return nanosPerByte == 0;
    }

    /** Tells whether a packet may not be sent now. */
    boolean isBusy(long now) {
        return started && freeAtNanos - now > BURST_NANOS;
    }

    /** Notes that so many bytes are sent. */
    void use(int bytes, long now) {
        long from = started && freeAtNanos - now > 0 ? freeAtNanos : now;
        started = true;
        freeAtNanos = from + (long) (bytes * nanosPerByte);
    }
}
