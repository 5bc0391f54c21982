package io.rdmarpc.autoconfigure.client;

import java.time.Duration;
import org.springframework.context.SmartLifecycle;

/**
 * Connects to every target when all else has started, the own server included. An application whose targets cannot be reached
 * does not start.
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
