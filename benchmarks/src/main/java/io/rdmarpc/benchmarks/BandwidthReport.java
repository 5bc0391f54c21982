package io.rdmarpc.benchmarks;

import java.util.Locale;

/** The columns of {@code ib_read_bw} and {@code ib_write_bw}. 1 MB is 1024 * 1024 bytes. The peak column is 0. */
public final class BandwidthReport {

    /** The names of the columns. */
    public static final String HEADER =
            " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]";

    private static final double MEBIBYTE = 1 << 20;

    private BandwidthReport() {}

    /**
     * Formats the numbers as one line.
     *
     * @param size bytes per operation
     * @param iterations number of operations
     * @param nanos duration of all operations in nanoseconds
     * @return a line for below {@link #HEADER}
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
