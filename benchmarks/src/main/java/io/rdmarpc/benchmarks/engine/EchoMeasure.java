package io.rdmarpc.benchmarks.engine;

import io.rdmarpc.benchmarks.EchoHandler;
import java.time.Duration;

/** The figures that can be measured. */
public enum EchoMeasure {
    /** Half a round trip of 32 bytes in microseconds, the median, by one blocking caller. */
    LATENCY(true) {
        @Override
        double measure(EchoRun run, Duration time) {
            return run.halfRoundTripMicros(32, time);
        }
    },
    /** Millions of calls per second of 32 bytes with 128 outstanding, by one thread. */
    RATE(false) {
        @Override
        double measure(EchoRun run, Duration time) {
            return run.callsPerSecond(new EchoRun.Load(EchoHandler.ECHO, 32, 32, 128), time) / 1e6;
        }
    },
    /** MiB per second in both directions together, by sequential calls of 1 MiB, from the median round trip. */
    BANDWIDTH(true) {
        @Override
        double measure(EchoRun run, Duration time) {
            return 1e6 / run.halfRoundTripMicros(1 << 20, time);
        }
    },
    /**
     * MiB per second of requests of 1 MiB with 16 outstanding, by one thread. The server READs each request and
     * responds with 8 bytes.
     */
    REQUEST(false) {
        @Override
        double measure(EchoRun run, Duration time) {
            return run.callsPerSecond(new EchoRun.Load(EchoService.TAKE, 1 << 20, Long.BYTES, 16), time);
        }
    },
    /** Bytes allocated per call of 32 bytes by the caller and the threads of both engines. */
    ALLOCATION(true) {
        @Override
        double measure(EchoRun run, Duration time) {
            return run.bytesPerCall(32, time);
        }
    };

    private final boolean usesPollingThread;

    EchoMeasure(boolean usesPollingThread) {
        this.usesPollingThread = usesPollingThread;
    }

    /** Returns whether the client has a polling thread, which yields to callers that wait. */
    boolean usesPollingThread() {
        return usesPollingThread;
    }

    abstract double measure(EchoRun run, Duration time);
}
