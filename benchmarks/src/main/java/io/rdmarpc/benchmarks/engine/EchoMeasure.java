package io.rdmarpc.benchmarks.engine;

import io.rdmarpc.benchmarks.EchoHandler;
import java.time.Duration;

/** What can be measured. */
public enum EchoMeasure {
    /** Half a round trip of 32 bytes by a caller that waits, in microseconds: the median. */
    LATENCY(true) {
        @Override
        double measure(EchoRun run, Duration time) {
            return run.halfRoundTripMicros(32, time);
        }
    },
    /** Millions of calls of 32 bytes a second, 128 outstanding, by one thread. */
    RATE(false) {
        @Override
        double measure(EchoRun run, Duration time) {
            return run.callsPerSecond(new EchoRun.Load(EchoHandler.ECHO, 32, 32, 128), time) / 1e6;
        }
    },
    /** MiB a second, both ways together, by calls of 1 MiB one after the other: the median. */
    BANDWIDTH(true) {
        @Override
        double measure(EchoRun run, Duration time) {
            return 1e6 / run.halfRoundTripMicros(1 << 20, time);
        }
    },
    /** MiB a second of requests of 1 MiB, 16 outstanding, which the server READs and answers with 8 bytes, by one thread. */
    REQUEST(false) {
        @Override
        double measure(EchoRun run, Duration time) {
            return run.callsPerSecond(new EchoRun.Load(EchoService.TAKE, 1 << 20, Long.BYTES, 16), time);
        }
    },
    /** Bytes allocated for a call of 32 bytes by the caller and the threads of both engines. */
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

    /** Whether the client has a polling thread, which stands back for callers that wait. */
    boolean usesPollingThread() {
        return usesPollingThread;
    }

    abstract double measure(EchoRun run, Duration time);
}
