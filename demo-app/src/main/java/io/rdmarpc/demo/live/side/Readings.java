package io.rdmarpc.demo.live.side;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Resource usage of both processes at one time. */
public record Readings(
        long atNanos, ProcessReading client, @Nullable ServerStatus server) {

    /**
     * Returns the CPU time since an earlier reading. If the server did not respond, this is the CPU time of the client
     * only.
     */
    public long cpuNanosSince(Readings earlier) {
        return clientCpuSince(earlier) + (isOneProcess() ? 0 : serverCpuSince(earlier));
    }

    public long clientCpuSince(Readings earlier) {
        return client.cpuNanos() - earlier.client.cpuNanos();
    }

    public long serverCpuSince(Readings earlier) {
        return server == null || earlier.server == null
                ? 0
                : server.process().cpuNanos() - earlier.server.process().cpuNanos();
    }

    /** Returns the share of the time since an earlier reading in which the busier JIT compiler worked. */
    public double compilerShareSince(Readings earlier) {
        long client = client().compilerMillis() - earlier.client.compilerMillis();
        long other = server == null || earlier.server == null
                ? 0
                : server.process().compilerMillis() - earlier.server.process().compilerMillis();
        return shareSince(earlier, TimeUnit.MILLISECONDS.toNanos(Math.max(client, other)));
    }

    public boolean isOneProcess() {
        return server != null && server.process().pid() == client.pid();
    }

    public double shareSince(Readings earlier, long nanos) {
        long elapsed = atNanos - earlier.atNanos;
        return elapsed <= 0 ? 0 : (double) nanos / elapsed;
    }
}
