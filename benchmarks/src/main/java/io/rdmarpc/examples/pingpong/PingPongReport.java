package io.rdmarpc.examples.pingpong;

import java.io.PrintWriter;
import java.util.Locale;

/** The two lines at the end of the C programs' output. */
record PingPongReport(int messageBytes, int iterations, long nanos) {

    void print(PrintWriter out) {
        long bytes = 2L * messageBytes * iterations;
        double seconds = nanos / 1e9;
        out.printf(
                Locale.ROOT, "%d bytes in %.2f seconds = %.2f Mbit/sec%n", bytes, seconds, bytes * 8.0 / seconds / 1e6);
        out.printf(
                Locale.ROOT,
                "%d iters in %.2f seconds = %.2f usec/iter%n",
                iterations,
                seconds,
                nanos / 1e3 / iterations);
        out.flush();
    }
}
