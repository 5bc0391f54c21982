package io.rdmarpc.autoconfigure.client;

import java.time.Duration;
import org.springframework.context.SmartLifecycle;

/**
 * Connects to every target after all other beans have started, this application's own server included. The
 * application does not start if a target is unreachable.
 */
final class TargetConnector implements SmartLifecycle {

    private final RdmaClients clients;
    private final Duration limit;
    private volatile boolean running;

    TargetConnector(RdmaClients clients, Duration limit) {
        this.clients = clients;
        this.limit = limit;
    }

    @Override
    public void start() {
        clients.connectAll(limit);
        running = true;
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }
}
