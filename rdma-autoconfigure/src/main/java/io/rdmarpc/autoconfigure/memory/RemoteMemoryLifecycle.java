package io.rdmarpc.autoconfigure.memory;

import io.rdmarpc.autoconfigure.engine.RdmaRuntimeLifecycle;
import io.rdmarpc.remote.RemoteMemory;
import org.springframework.context.SmartLifecycle;

/**
 * Ends leases and grants before the engines stop, after calls in progress have completed. Otherwise the streams of
 * remote memory would delay the stop of the engines. Peers may reconnect after a restart.
 */
final class RemoteMemoryLifecycle implements SmartLifecycle {

    private final RemoteMemory memory;
    private volatile boolean running;

    RemoteMemoryLifecycle(RemoteMemory memory) {
        this.memory = memory;
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        memory.disconnect();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return RdmaRuntimeLifecycle.PHASE + 1;
    }
}
