package io.rdmarpc.autoconfigure.engine;

import io.rdmarpc.autoconfigure.properties.RdmaServerProperties;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;

/**
 * How long calls in flight may take when the application stops: what is set, but not so long that Spring goes on without us and
 * closes what they use. A tenth of its time is for the goodbye.
 */
public final class ShutdownTime {

    private static final Duration DEFAULT_PHASE = Duration.ofSeconds(30);

    private ShutdownTime() {}

    public static Duration of(RdmaServerProperties.Shutdown shutdown, @Nullable LifecycleProperties lifecycle) {
        Duration phase = lifecycle == null ? DEFAULT_PHASE : lifecycle.getTimeoutPerShutdownPhase();
        // Not by a Duration's own division: that is BigDecimal's, whose tables take 10 ms of a start.
        Duration most = phase.minusMillis(phase.toMillis() / 10);
        Duration wanted = shutdown.gracePeriod();
        return wanted.isNegative() || wanted.compareTo(most) > 0 ? most : wanted;
    }
}
