package io.rdmarpc.verbs.soft.wire;

/**
 * The times of a receiver-not-ready NAK (InfiniBand Architecture Specification vol. 1, 9.7.5.2.8, table "Encoding for
 * RNR NAK timer field"): 10 µs to 655 ms in steps of about the square root of two.
 */
public final class RnrTimer {

    private static final int NANOS_PER_UNIT = 10_000;

    /** Times by code, in units of 10 µs; code 0 has the longest time. */
    private static final int[] UNITS = {
        65_536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072,
        4096, 6144, 8192, 12_288, 16_384, 24_576, 32_768, 49_152
    };

    private RnrTimer() {}

    /** Returns the time of a code from 0 to 31 in nanoseconds. */
    public static long nanos(int code) {
        return (long) UNITS[code] * NANOS_PER_UNIT;
    }
}
