package io.rdmarpc.rpc.control.net;

import io.rdmarpc.rpc.config.ReconnectConfig;
import java.util.concurrent.ThreadLocalRandom;

/** Pauses that double up to a limit; each varies between a half and one and a half of it. */
public final class ReconnectBackoff {

    private final long longestMillis;
    private long millis;

    public ReconnectBackoff(ReconnectConfig config) {
        this.millis = config.initialInterval().toMillis();
        this.longestMillis = config.maxInterval().toMillis();
    }

    public long nextMillis() {
        long pause = millis / 2 + ThreadLocalRandom.current().nextLong(millis + 1);
        millis = Math.min(2 * millis, longestMillis);
        return pause;
    }
}
