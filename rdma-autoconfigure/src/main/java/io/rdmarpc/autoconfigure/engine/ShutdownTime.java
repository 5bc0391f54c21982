package io.rdmarpc.autoconfigure.engine;

import io.rdmarpc.autoconfigure.properties.RdmaServerProperties;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;

/**
 * Time for calls in flight when the application stops. It is the configured time, but at most nine tenths of Spring's
 * shutdown phase. After the phase Spring continues and closes beans that calls use. The last tenth is for closing
 * sessions.
 */
public final class ShutdownTime {

    private static final Duration DEFAULT_PHASE = Duration.ofSeconds(30);

    private ShutdownTime() {}

    public static Duration of(RdmaServerProperties.Shutdown shutdown, @Nullable LifecycleProperties lifecycle) {
        Duration phase = lifecycle == null ? DEFAULT_PHASE : lifecycle.getTimeoutPerShutdownPhase();
        // No Duration division: it uses BigDecimal, whose tables take 10 ms at start-up.
        Duration most = phase.minusMillis(phase.toMillis() / 10);
        Duration wanted = shutdown.gracePeriod();
        return wanted.isNegative() || wanted.compareTo(most) > 0 ? most : wanted;
    }
}
