package io.rdmarpc.rpc.engine.session;

import io.rdmarpc.rpc.RpcStream;
import java.util.concurrent.TimeUnit;

/** Validates the parameters of a new stream. */
public final class StreamLimits {

    private static final long LONGEST_NANOS = Long.MAX_VALUE / 4;

    private StreamLimits() {}

    public static void checkCredits(int credits) {
        if (credits < 0 || credits > RpcStream.MAX_CREDITS) {
            throw new IllegalArgumentException(
                    "initial credits of a stream must be 0 to " + RpcStream.MAX_CREDITS + ", not " + credits);
        }
    }

    /** Returns a stream's deadline from the remaining time that the peer sent, which may be any value. */
    public static long deadline(long nowNanos, long remainingMicros) {
        boolean beyond = remainingMicros > TimeUnit.NANOSECONDS.toMicros(LONGEST_NANOS);
        return nowNanos + (beyond ? LONGEST_NANOS : Math.max(0, TimeUnit.MICROSECONDS.toNanos(remainingMicros)));
    }
}
