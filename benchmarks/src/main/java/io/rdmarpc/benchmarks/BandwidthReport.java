package io.rdmarpc.benchmarks;

import java.util.Locale;

/** The numbers of {@code ib_read_bw} and {@code ib_write_bw}; a MB is 1024 * 1024 bytes, and there is no peak. */
public final class BandwidthReport {

    /** The names of the columns. */
    public static final String HEADER =
            " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]";

    private static final double MEBIBYTE = 1 << 20;

    private BandwidthReport() {}

    /**
     * Prints the numbers.
     *
     * @param size bytes of an operation
     * @param iterations how many operations there were
     * @param nanos how long all of them took
     * @return a line below {@link #HEADER}
     */
    public static String line(int size, int iterations, long nanos) {
        double perSecond = iterations * 1e9 / nanos;
        return String.format(
                Locale.ROOT,
                " %-10d %-14d %15.2f %21.2f %15.6f",
                size,
                iterations,
                0.0,
                perSecond * size / MEBIBYTE,
                perSecond / 1e6);
    }
}
