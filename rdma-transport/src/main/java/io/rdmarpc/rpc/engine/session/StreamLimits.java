package io.rdmarpc.rpc.engine.session;

import io.rdmarpc.rpc.RpcStream;
import java.util.concurrent.TimeUnit;

/** What a stream may be opened with. */
public final class StreamLimits {

    private static final long LONGEST_NANOS = Long.MAX_VALUE / 4;

    private StreamLimits() {}

    public static void checkCredits(int credits) {
        if (credits < 0 || credits > RpcStream.MAX_CREDITS) {
            throw new IllegalArgumentException(
                    "a stream starts with 0 to " + RpcStream.MAX_CREDITS + " credits, not " + credits);
        }
    }

    /** When a stream's time is over, of which a peer says how much is left: it may say anything. */
    public static long deadline(long nowNanos, long remainingMicros) {
        boolean beyond = remainingMicros > TimeUnit.NANOSECONDS.toMicros(LONGEST_NANOS);
        return nowNanos + (beyond ? LONGEST_NANOS : Math.max(0, TimeUnit.MICROSECONDS.toNanos(remainingMicros)));
    }
}
