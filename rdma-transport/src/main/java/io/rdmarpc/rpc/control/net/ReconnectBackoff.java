package io.rdmarpc.rpc.control.net;

import io.rdmarpc.rpc.config.ReconnectConfig;
import java.util.concurrent.ThreadLocalRandom;

/** Pauses that double up to a limit; each one is multiplied by a random factor between 0.5 and 1.5. */
public final class ReconnectBackoff {

    private final long maxMillis;
    private long millis;

    public ReconnectBackoff(ReconnectConfig config) {
        this.millis = config.initialInterval().toMillis();
        this.maxMillis = config.maxInterval().toMillis();
    }

    public long nextMillis() {
        long pause = millis / 2 + ThreadLocalRandom.current().nextLong(millis + 1);
        millis = Math.min(2 * millis, maxMillis);
        return pause;
    }
}
