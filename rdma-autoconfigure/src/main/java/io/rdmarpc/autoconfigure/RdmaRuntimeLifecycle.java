package io.rdmarpc.autoconfigure;

import io.rdmarpc.rpc.runtime.RdmaRuntime;
import java.time.Duration;
import org.springframework.context.SmartLifecycle;

/**
 * Turns the engine on before the web server takes requests and off after it has answered the last: a request that calls
 * another process can end.
 */
final class RdmaRuntimeLifecycle implements SmartLifecycle {

    /** One step below {@code WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE}, which is {@code MAX_VALUE - 2048}. */
    static final int PHASE = Integer.MAX_VALUE - 3072;

    private final RdmaRuntime runtime;
    private final Duration gracePeriod;

    RdmaRuntimeLifecycle(RdmaRuntime runtime, Duration gracePeriod) {
        this.runtime = runtime;
        this.gracePeriod = gracePeriod;
    }

    @Override
    public void start() {
        runtime.start();
    }

    @Override
    public void stop() {
        runtime.stop(gracePeriod);
    }

    @Override
    public boolean isRunning() {
        return runtime.isRunning();
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
